import Glibc

/// The device that a folder was on, remembered on this machine. Losing the note costs only that another disk in the folder's
/// place is not noticed.
struct FolderDevice: Equatable {
    var folder: String
    var device: UInt

    /// nil if there is no such folder.
    init?(of folder: String) {
        var facts = stat()
        guard stat(folder, &facts) == 0 else { return nil }
        (self.folder, device) = (folder, UInt(facts.st_dev))
    }

    private init(folder: String, device: UInt) { (self.folder, self.device) = (folder, device) }

    /// Reads two lines: the device and the folder.
    static func read(_ file: String) -> FolderDevice? {
        guard let stream = fopen(file, "re") else { return nil }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 32)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, stream)], as: UTF8.self)
        guard let end = text.firstIndex(of: "\n"), let device = UInt(text[..<end]) else { return nil }
        return FolderDevice(folder: String(text[text.index(after: end)...].dropLast()), device: device)
    }

    func write(to file: String) {
        guard let stream = fopen(file, "we") else { return }
        fputs("\(device)\n\(folder)\n", stream)
        fclose(stream)
    }
}
