/// The version of the command and the server.
public enum Version {
    public static let text = "0.2.0"
}
