internal import HTML
internal import Memory

/// The text of a field that may contain HTML, as a reader would see it: without tags, comments, scripts and styles, and
/// with its references decoded.
enum PlainText {
    static func text(of html: String) -> String {
        var text = GrowingBytes()
        append(html, to: &text)
        return String(decoding: text.view, as: UTF8.self)
    }

    static func append(_ html: String, to text: inout GrowingBytes) { append(html.utf8Span.span, to: &text) }

    static func append(_ html: Span<UInt8>, to text: inout GrowingBytes) {
        let beginning = text.count
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            switch token {
            case .text(let range): text.append(html.extracting(range).bytes)
            case .reference(let reference):
                append(reference.first, to: &text)
                if let second = reference.second { append(second, to: &text) }
            case .start(let tag), .end(let tag):
                // A paragraph's end separates words; a tag around a bold letter does not.
                if !tag.isInline, text.count > beginning, text.bytes[text.count - 1] > 32 {
                    text.append(UInt8(ascii: " "))
                }
            }
        }
    }

    private static func append(_ character: Unicode.Scalar, to text: inout GrowingBytes) {
        for unit in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
    }
}
