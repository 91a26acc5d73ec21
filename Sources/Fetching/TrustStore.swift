internal import CLibCurl
import Glibc

/// The trusted certificate authorities: the system's, or all that the usual environment variables name.
///
/// Systems set some of these variables for all programs, and users set others for one, so all of them apply.
final class TrustStore {
    private let file: String?
    private let folder: String?
    /// The contents of several files, because libcurl reads only one.
    private let joined: UnsafeMutableBufferPointer<UInt8>?

    /// `CURL_CA_BUNDLE` and `SSL_CERT_FILE` name files of certificates, `SSL_CERT_DIR` a folder.
    static func fromEnvironment() -> TrustStore {
        var files: [String] = []
        for file in [variable("CURL_CA_BUNDLE"), variable("SSL_CERT_FILE")].compactMap({ $0 }) where !files.contains(file) {
            files.append(file)
        }
        return TrustStore(files: files, folder: variable("SSL_CERT_DIR"))
    }

    init(files: [String], folder: String?) {
        let contents = files.count > 1 ? files.compactMap(TrustStore.contents) : []
        if contents.count > 1 {
            let bytes = Array(contents.joined(separator: [UInt8(ascii: "\n")]))
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = buffer.initialize(from: bytes)
            joined = buffer
            file = nil
        } else {
            joined = nil
            file = files.first
        }
        self.folder = folder
    }

    deinit { joined?.deallocate() }

    /// libcurl keeps the pointer to several files: the handle must not outlive the store.
    func apply(to handle: UnsafeMutableRawPointer) {
        if let joined, let start = joined.baseAddress { curl_set_bytes(handle, CURLOPT_CAINFO_BLOB, start, joined.count) }
        if let file { curl_set_text(handle, CURLOPT_CAINFO, file) }
        if let folder { curl_set_text(handle, CURLOPT_CAPATH, folder) }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }
}
