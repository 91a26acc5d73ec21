internal import Domain

/// A whole XML document read as well as it can be: strictly, and where that fails, repaired and read once more.
struct XMLDocument {
    /// Holds what was collected.
    let parser: XMLPushParser
    let encoding: TextEncoding
    let isWellFormed: Bool
    let isTruncated: Bool
    let warnings: [ParseWarning]

    /// One that the strict pass read to its end while it arrived.
    init(_ parser: XMLPushParser) {
        self.parser = parser
        encoding = .utf8
        isTruncated = false
        isWellFormed = parser.builder.namespacesDeclared
        warnings = Self.namespaceWarnings(parser)
    }

    /// - Parameter strict: the strict pass, where it has been over the same bytes and failed.
    /// - Throws: `NotAFeed`.
    init(_ text: consuming DecodedText, baseURL: String?, purpose: FeedBuilder.Purpose, strict: XMLPushParser? = nil) throws {
        if text.utf8.allSatisfy(Text.isBlank) { throw NotAFeed.empty }
        encoding = text.encoding
        let encodingWarnings = text.warnings
        let first: XMLPushParser
        if let strict {
            first = strict
        } else {
            first = XMLPushParser(baseURL: baseURL, purpose: purpose, recovering: false)
            text.utf8.withUnsafeBufferPointer { first.push($0) }
            first.finish()
        }
        if let refusal = first.refusal { throw refusal }
        if strict == nil, first.isComplete {
            parser = first
            isTruncated = false
            isWellFormed = first.builder.namespacesDeclared && text.replaced == 0
            warnings = encodingWarnings + Self.namespaceWarnings(first)
            return
        }
        let replaced = text.replaced
        var repair = Repair(text.utf8)
        text.utf8 = []
        try repair.run()
        let second = XMLPushParser(baseURL: baseURL, purpose: purpose, recovering: true)
        repair.output.withUnsafeBufferPointer { second.push($0) }
        second.finish()
        if let refusal = second.refusal { throw refusal }
        if second.builder.frames.isEmpty, !second.builder.rootClosed {
            throw NotAFeed.notXML(line: first.firstError?.line)
        }
        parser = second
        isTruncated = repair.isTruncated
        // A document that was set aside, as one with entities of its own, is not damaged for that.
        let isSound = repair.warnings.isEmpty && replaced == 0
        isWellFormed = first.isSetAside && isSound && second.firstError == nil && second.builder.namespacesDeclared
        warnings = encodingWarnings + repair.warnings.list + Self.namespaceWarnings(second)
    }

    private static func namespaceWarnings(_ parser: XMLPushParser) -> [ParseWarning] {
        parser.builder.namespacesDeclared
            ? [] : [ParseWarning(code: "namespace", message: "a namespace prefix is not declared")]
    }
}

extension DecodedText {
    var warnings: [ParseWarning] {
        var messages = refuted.map { "the document is not in “\($0.prefix(40))”, as declared" }
        if isGuess { messages.append("the encoding is not declared, and is not UTF-8") }
        if replaced > 0 { messages.append("\(replaced) bytes that mean nothing in \(encoding.name)") }
        return messages.map { ParseWarning(code: "encoding", message: $0) }
    }
}
