import Addresses
import Domain
import JSON
import Records

/// The members of `secrets.json`.
extension [PodcastID: Credentials] {
    func write(to json: inout JSONWriter) {
        json.object("credentials") { json in
            for (id, credentials) in sorted(by: { $0.key < $1.key }) {
                json.key(id.text)
                json.object(credentials.write)
            }
        }
    }

    mutating func read(_ key: String, from json: inout JSONReader) throws {
        guard key == "credentials" else {
            try json.skip()
            return
        }
        try json.object { json, id in
            self[PodcastID(text: id)] = try Credentials(from: &json)
        }
    }
}
