/// The links of a `Link` header.
///
/// Source: RFC 8288, section 3. URLs may contain commas and semicolons, and so may quoted parameters.
enum LinkHeader {
    struct Link: Equatable, Sendable {
        var target: String
        /// Names are in lower case. Of parameters that are repeated, the first counts.
        fileprivate var parameters: [String: String] = [:]

        subscript(name: String) -> String? { parameters[name] }
    }

    static func links(_ value: String) -> [Link] {
        var links: [Link] = []
        var remainder = value[...]
        while let start = remainder.firstIndex(of: "<"), let end = remainder[start...].firstIndex(of: ">") {
            var link = Link(target: String(remainder[remainder.index(after: start)..<end]))
            remainder = remainder[remainder.index(after: end)...].drop(while: isBlank)
            while remainder.first == ";" {
                remainder = remainder.dropFirst().drop(while: isBlank)
                let (name, value) = parameter(&remainder)
                if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
            }
            links.append(link)
        }
        return links
    }

    /// Takes one parameter and the blanks after it.
    private static func parameter(_ text: inout Substring) -> (name: String, value: String) {
        let name = text.prefix { !isBlank($0) && !"=;,".contains($0) }
        text = text[name.endIndex...].drop(while: isBlank)
        var value = ""
        if text.first == "=" {
            text = text.dropFirst().drop(while: isBlank)
            if text.first == "\"" {
                text.removeFirst()
                while let next = text.popFirst(), next != "\"" { value.append(next == "\\" ? text.popFirst() ?? next : next) }
            } else {
                value = String(text.prefix { !isBlank($0) && !";,".contains($0) })
                text = text.dropFirst(value.count)
            }
            text = text.drop(while: isBlank)
        }
        return (name.lowercased(), value)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
