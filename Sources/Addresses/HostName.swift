internal import CHostNames

/// Internationalized host names: `münchen.de` is the host `xn--mnchen-3ya.de`.
enum HostName {
    /// DNS knows no name longer than 253 bytes.
    private static let capacity = 256

    /// The name in DNS form, or unchanged if this machine cannot convert it; nil if it is not a valid name.
    static func ascii(_ name: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            switch host_name_to_ascii(name, start, capacity) {
            case HOST_NAME_CONVERTED: return String(cString: start)
            case HOST_NAME_UNKNOWN: return name
            default: return nil
            }
        }
    }
}
