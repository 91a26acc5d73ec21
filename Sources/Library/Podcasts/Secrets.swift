import Domain
import JSON

/// The members of `secrets.json`.
extension [PodcastID: Credentials] {
    func write(to json: inout JSONWriter) {
        json.object("credentials") { json in
            for (id, credentials) in sorted(by: { $0.key < $1.key }) {
                json.key(id.text)
                json.object {
                    $0.text("user", credentials.user)
                    $0.text("password", credentials.password)
                }
            }
        }
    }

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        guard key == "credentials" else {
            try json.skip()
            return
        }
        try json.object { json, id in
            var credentials = Credentials(user: "", password: "")
            try json.object { json, key in
                switch key {
                case "user": credentials.user = try json.string()
                case "password": credentials.password = try json.string()
                default: try json.skip()
                }
            }
            self[PodcastID(text: id)] = credentials
        }
    }
}
