import Database
public import Domain
import Glibc
import Library
import Presentation
public import Results
import UseCases

extension Composition {
    /// Makes the library at `target` a copy of the one at `source`. Both are paths or addresses as users type them.
    ///
    /// - Throws: `CopyFailure`, `LibraryFailure`, `DatabaseFailure`; `FailureLine` if the source does not exist.
    public func copyLibrary(from source: String, to target: String, now: Timestamp) async throws -> CopyOutcome {
        do {
            return try await copy(from: source, to: target, now: now)
        } catch DatabaseFailure.absent {
            throw FailureLine.noLibrary(at: DatabaseAddress.shown(source))
        }
    }

    private func copy(from source: String, to target: String, now: Timestamp) async throws -> CopyOutcome {
        // An unfinished copy is identified by the real path of its source.
        let (from, name) = try await copySource(source)
        let outcome: CopyOutcome
        if DatabaseAddress.isOne(target) {
            let library = try await Database.openCopy(DatabaseAddress(target), of: name, on: thread)
            outcome = try await CopyLibrary(
                from: from, to: .init(files: library.files, isFolder: false) { library.repositories })(now: now)
            try await library.finishCopy()
        } else {
            let copy = try FolderCopy(to: Environment.absolute(target), of: name)
            outcome = try await CopyLibrary(
                from: from,
                to: .init(files: copy.files, isFolder: true) { [thread] in
                    try await copy.open(on: thread).repositories
                })(now: now)
            try copy.finish()
        }
        return outcome
    }

    private func copySource(_ source: String) async throws -> (CopyLibrary.Side, name: String) {
        if DatabaseAddress.isOne(source) {
            let library = try await Database.open(DatabaseAddress(source), .read, on: thread)
            return (CopyLibrary.Side(files: library.files, isFolder: false) { library.repositories }, library.address.identity)
        }
        let path = Environment.absolute(source)
        guard let real = realpath(path, nil), try Library.exists(path) else { throw FailureLine.noLibrary(at: path) }
        defer { free(real) }
        let library = try await Library.open(path, .read, on: thread)
        return (CopyLibrary.Side(files: FolderFiles(path), isFolder: true) { library.repositories }, String(cString: real))
    }
}
