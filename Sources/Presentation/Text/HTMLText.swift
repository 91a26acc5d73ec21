internal import HTML

/// Turns HTML in feeds into readable text: tags removed, paragraphs and list items on separate lines, references
/// decoded.
struct HTMLText {
    static func text(_ html: String) -> String {
        var text = HTMLText()
        text.read(html.utf8Span.span)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private var bytes: [UInt8] = []
    /// Line breaks to write before the next word.
    private var breaks = 0
    private var hasSpace = false

    private mutating func read(_ html: Span<UInt8>) {
        var tokenizer = HTMLTokenizer()
        while let token = tokenizer.next(in: html) {
            switch token {
            case .text(let range):
                for index in range { append(html[index]) }
            case .reference(let reference):
                append(reference.first)
                if let second = reference.second { append(second) }
            case .start(let tag):
                separate(at: tag)
                if tag.name == "li" { appendWord("- ".utf8) }
            case .end(let tag):
                separate(at: tag)
            }
        }
    }

    private mutating func separate(at tag: HTMLTag) {
        switch tag.name {
        case "br": breaks = min(breaks + 1, 2)
        case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table", "ul", "ol", "pre", "hr": breaks = 2
        case "div", "tr", "section", "article", "dd", "dt", "li": breaks = max(breaks, 1)
        default: if !tag.isInline { hasSpace = true }
        }
    }

    private mutating func append(_ byte: UInt8) {
        if byte == 0x20 || (0x09...0x0D).contains(byte) { hasSpace = true } else { appendWord(CollectionOfOne(byte)) }
    }

    private mutating func append(_ character: Unicode.Scalar) {
        if character.isASCII {
            append(UInt8(character.value))
        } else if character == "\u{A0}" {
            hasSpace = true
        } else {
            appendWord(UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
        }
    }

    private mutating func appendWord(_ word: some Collection<UInt8>) {
        if !bytes.isEmpty {
            if breaks > 0 {
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "\n"), count: breaks))
            } else if hasSpace {
                bytes.append(UInt8(ascii: " "))
            }
        }
        (breaks, hasSpace) = (0, false)
        bytes.append(contentsOf: word)
    }
}
