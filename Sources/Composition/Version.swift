/// The version of the command and the server.
public enum Version {
    public static let text = "0.1.0"
}
