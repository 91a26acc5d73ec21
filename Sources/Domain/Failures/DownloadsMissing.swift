/// None of the downloaded files is in its folder, which seems to be on a disk that is not mounted. Nothing is downloaded, or
/// it would go to the wrong disk.
public struct DownloadsMissing: Error, Equatable, Sendable {
    public var folder: String
    /// Number of files that should be there.
    public var files: Int
    /// True if the folder is on another device than before; false if it is empty.
    public var isOtherDevice: Bool

    package init(folder: String, files: Int, isOtherDevice: Bool) {
        (self.folder, self.files, self.isOtherDevice) = (folder, files, isOtherDevice)
    }
}
