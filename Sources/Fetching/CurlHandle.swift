internal import Addresses
internal import CLibCurl
internal import Domain
import Glibc

/// A libcurl easy handle with its callbacks. The loop's thread uses it for one transfer after another.
final class CurlHandle {
    /// Bytes of an error page that are read to keep the connection usable. A longer one ends the connection.
    private static let discardLimit = 64 << 10

    let pointer: UnsafeMutableRawPointer
    private(set) var transfer: Transfer?
    private let sockets = UnsafeMutablePointer<curl_socket_state>.allocate(capacity: 1)
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var reader = HeadReader()
    private var discarded = 0
    private var hasBegun = false

    /// nil if memory ran out.
    init?(trust: TrustStore) {
        guard let pointer = curl_handle_new() else { return nil }
        self.pointer = pointer
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        sockets.initialize(to: curl_socket_state())
        let this = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(pointer, CURLOPT_WRITEDATA, this)
        curl_set_pointer(pointer, CURLOPT_HEADERDATA, this)
        curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        curl_set_callback(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context else { return 0 }
            let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
            return handle.write(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        curl_set_callback(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context else { return 0 }
            let handle = Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return handle.reader.read(line) ? line.count : 0
        }
        curl_open_sockets(pointer, sockets)
        curl_set_number(pointer, CURLOPT_NOSIGNAL, 1)
        curl_set_text(pointer, CURLOPT_PROTOCOLS_STR, "http,https")
        curl_set_number(pointer, CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        curl_set_number(pointer, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        curl_set_number(pointer, CURLOPT_HTTPAUTH, 1 /* Basic, sent unasked */)
        // A proxy's headers must not be taken for the server's.
        curl_set_number(pointer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        trust.apply(to: pointer)
    }

    deinit {
        curl_handle_free(pointer)
        curl_list_free(lines)
        errorText.deallocate()
        sockets.deallocate()
    }

    func prepare(for transfer: Transfer) {
        self.transfer = transfer
        reader = HeadReader()
        discarded = 0
        hasBegun = false
        errorText[0] = 0
        sockets.pointee = curl_socket_state(
            error: 0, public_only: transfer.request.publicOnly, refused: false)
        curl_list_free(lines)
        lines = nil
        for line in transfer.request.headers {
            (line + [0]).withUnsafeBytes { bytes in
                if let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self), let longer = curl_list_append(lines, text) {
                    lines = longer
                }
            }
        }
        curl_set_pointer(pointer, CURLOPT_HTTPHEADER, lines)
        curl_set_text(pointer, CURLOPT_URL, transfer.request.url)
        if let form = transfer.request.form {
            curl_set_text(pointer, CURLOPT_COPYPOSTFIELDS, form)
        } else {
            curl_set_number(pointer, CURLOPT_HTTPGET, 1)
        }
        curl_set_text(pointer, CURLOPT_USERNAME, transfer.request.credentials?.user)
        curl_set_text(pointer, CURLOPT_PASSWORD, transfer.request.credentials?.password)
        // libcurl checks only Content-Length, which avoids receiving a body that is announced as too large.
        // `BodyReader` counts the decoded bytes.
        curl_set_number(pointer, CURLOPT_BUFFERSIZE, transfer.request.isMedia ? 256 << 10 : Int(CURL_MAX_WRITE_SIZE))
        curl_set_number(pointer, CURLOPT_MAXFILESIZE_LARGE, transfer.request.maxSize)
        let milliseconds = max(1, Int(min(transfer.request.timeout, 1e6) * 1_000))
        curl_set_number(pointer, CURLOPT_TIMEOUT_MS, milliseconds)
        curl_set_number(pointer, CURLOPT_LOW_SPEED_LIMIT, transfer.request.stall > 0 ? 1 : 0)
        curl_set_number(pointer, CURLOPT_LOW_SPEED_TIME, transfer.request.stall)
        curl_set_number(pointer, CURLOPT_CONNECTTIMEOUT_MS, min(milliseconds, 30_000))
    }

    /// Ends the transfer and resumes its task; the handle is free for another transfer.
    func finish(_ code: CURLcode) {
        guard let transfer else { return }
        self.transfer = nil
        begin(transfer)
        // If the body is not used, the head decides, even if reading the body failed.
        let isDecided = reader.isComplete && !reader.head.hasBody(for: transfer.request)
        transfer.end(code == CURLE_OK || isDecided ? nil : failure(code), times)
    }

    private var times: WireTimes {
        func time(_ info: CURLINFO) -> Int { Int(curl_get_time(pointer, info)) }
        var times = WireTimes()
        times.lookUp = time(CURLINFO_NAMELOOKUP_TIME_T)
        times.connect = time(CURLINFO_CONNECT_TIME_T)
        times.tls = time(CURLINFO_APPCONNECT_TIME_T)
        times.firstByte = time(CURLINFO_STARTTRANSFER_TIME_T)
        times.total = time(CURLINFO_TOTAL_TIME_T)
        return times
    }

    /// Drops a transfer that no task waits for.
    func drop() { transfer = nil }

    private func begin(_ transfer: Transfer) {
        guard !hasBegun, reader.isComplete else { return }
        hasBegun = true
        transfer.begin(reader.head)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let transfer else { return Int(CURL_WRITEFUNC_ERROR) }
        begin(transfer)
        guard reader.head.hasBody(for: transfer.request) else {
            discarded += bytes.count
            if transfer.request.keepsPage { transfer.addPage(bytes) }
            return discarded > CurlHandle.discardLimit ? Int(CURL_WRITEFUNC_ERROR) : bytes.count
        }
        return transfer.add(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
    }

    private func failure(_ code: CURLcode) -> any Error {
        let meaning = CurlHandle.meaning(of: code)
        if let failure = systemFailure(meaning) { return failure }
        if meaning == .tooLarge {
            return FetchFailure(
                .tooLarge, status: reader.isComplete ? reader.head.status : nil,
                detail: .largerThan(bytes: transfer?.request.maxSize ?? 0))
        }
        if meaning == .connect, sockets.pointee.refused { return FetchFailure(.connect, detail: .localAddress) }
        var text = errorText[0] != 0 ? String(cString: errorText) : ""
        // A text with `@` may contain a proxy's address with its password.
        if code == CURLE_PARTIAL_FILE { text = "the connection was closed before the end" }
        if text.isEmpty || text.contains("@") { text = String(cString: curl_error_text(code)) }
        return FetchFailure(meaning, status: reader.isComplete ? reader.head.status : nil, detail: .reported(text))
    }

    /// The failure of this machine that prevented the request; nil if it was a server's or the network's.
    private func systemFailure(_ meaning: FetchFailure.Code) -> SystemFailure? {
        switch meaning {
        case .connect where sockets.pointee.error != 0:
            return .call("socket", errno: sockets.pointee.error)
        case .dns:
            // The resolver does not report that it ran out of descriptors.
            let probe = dup(STDERR_FILENO)
            guard probe < 0, errno == EMFILE || errno == ENFILE else {
                close(probe)
                return nil
            }
            return .call("getaddrinfo", errno: errno)
        default: return nil
        }
    }

    private static func meaning(of code: CURLcode) -> FetchFailure.Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED: .connect
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            .tls
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        default: .protocol
        }
    }
}
