public import Domain
import Glibc
import Importing
import Parsing
import Presentation

extension Composition {
    /// Reads a file of another podcast program.
    ///
    /// - Throws: `ImportFailure`, `NotOPML`, `FailureLine`.
    public static func foreignLibrary(in file: UserFile) throws -> ForeignLibrary {
        if file.path != "-" { try file.check() }
        if file.isRegular, ForeignFile.isDatabase(try file.head(ForeignFile.headSize)) {
            guard let path = realpath(file.path, nil) else { throw FailureLine(reading: file.name, errno: errno) }
            defer { free(path) }
            return try ForeignFile.database(String(cString: path))
        }
        let bytes = try file.read()
        if ForeignFile.isDatabase(bytes) { throw ImportFailure.needsFile }
        do {
            let list = try OPML.read(bytes)
            var library = ForeignLibrary(.opml)
            (library.outlines, library.isTruncated) = (list.outlines, list.isTruncated)
            return library
        } catch let reason as NotOPML {
            if let library = ForeignFile.list(bytes) { return library }
            // What begins like a document was meant as one.
            let isDocument = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "<")
            if isDocument { throw reason }
            throw ImportFailure.unknownFormat
        }
    }
}
