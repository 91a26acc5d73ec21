internal import Domain

/// A whole XML document, read strictly; if that fails, repaired and read again.
struct XMLDocument {
    /// Holds what was collected.
    let parser: XMLPushParser
    let encoding: TextEncoding
    let isWellFormed: Bool
    let isTruncated: Bool
    /// True if the document ended inside its last item.
    let endsInsideItem: Bool
    let warnings: [ParseWarning]

    /// A document that the strict pass read completely while it arrived.
    ///
    /// - Parameter passedOver: declared encodings that the bytes refute.
    init(_ parser: XMLPushParser, passedOver: [String]) {
        self.parser = parser
        encoding = .utf8
        isTruncated = false
        endsInsideItem = false
        isWellFormed = parser.builder.namespacesDeclared
        warnings = passedOver.map(ParseWarning.init(refuted:))
    }

    /// - Parameter strict: the verdict of a strict pass that read the same bytes and failed.
    /// - Throws: `NotAFeed`, or `SystemFailure` if libxml2 cannot be loaded.
    init(
        _ text: consuming DecodedText, baseURL: String?, purpose: FeedBuilder.Purpose, strict: XMLPushParser.Verdict? = nil
    ) throws {
        if text.utf8.allSatisfy(Text.isBlank) { throw NotAFeed.empty }
        encoding = text.encoding
        let encodingWarnings = text.warnings
        let first: XMLPushParser.Verdict
        var isPreceded = false
        if let strict {
            first = strict
            if strict.refusal != nil, case let junk = XMLRepair.tagsBeforeDeclaration(text.utf8), junk > 0 {
                // Replaced by blanks, except for line breaks: the repair skips them with a warning.
                for index in 0..<junk where text.utf8[index] != 10 { text.utf8[index] = 32 }
                isPreceded = true
            }
        } else {
            let strict = try XMLPushParser(baseURL: baseURL, purpose: purpose, recovering: false)
            strict.push(text.utf8.span)
            strict.finish()
            if strict.isComplete {
                parser = strict
                isTruncated = false
                endsInsideItem = false
                isWellFormed = strict.builder.namespacesDeclared && text.replaced == 0
                warnings = encodingWarnings
                return
            }
            first = strict.verdict
        }
        // XML has no NUL. In a program or a compressed file, a "<" may still look like the start of a root.
        let isBinary = text.utf8.contains(0)
        if let refusal = isBinary ? first.refusal?.ofBinary : first.refusal, !isPreceded { throw refusal }
        let replaced = text.replaced
        let repair = XMLRepair(text.utf8)
        text.utf8 = []
        // The damaged bytes are freed before items are created, so that a large document is not in memory three times.
        let repaired = try repair.run()
        let second = try XMLPushParser(baseURL: baseURL, purpose: purpose, recovering: true)
        second.push(repaired.utf8.span)
        second.finish()
        if let refusal = isBinary ? second.refusal?.ofBinary : second.refusal { throw refusal }
        if second.builder.frames.isEmpty, !second.builder.rootClosed {
            throw NotAFeed.notXML(line: first.firstError?.line)
        }
        parser = second
        isTruncated = repaired.isTruncated
        endsInsideItem = repaired.endsInsideItem
        // A document that was only set aside, for example because it declares entities, is not damaged.
        let isSound = repaired.warnings.isEmpty && replaced == 0
        isWellFormed = first.isSetAside && isSound && second.firstError == nil && second.builder.namespacesDeclared
        var faults = repaired.warnings.list
        if faults.isEmpty, encodingWarnings.isEmpty, let error = first.firstError ?? second.firstError {
            faults.append(ParseWarning(code: "xml", message: "not well-formed", line: error.line > 0 ? error.line : nil))
        }
        warnings = encodingWarnings + faults
    }
}

extension NotAFeed {
    /// The reason for a document with NULs, whose root only looks like one.
    fileprivate var ofBinary: NotAFeed {
        if case .unknownRoot = self { .notXML(line: nil) } else { self }
    }
}

extension DecodedText {
    var warnings: [ParseWarning] {
        var warnings = refuted.map(ParseWarning.init(refuted:))
        if isGuess, refuted.isEmpty {
            warnings.append(ParseWarning(code: "encoding", message: "no encoding is declared, and the bytes are not UTF-8"))
        }
        if replaced > 0 {
            warnings.append(ParseWarning(code: "encoding", message: "bytes that mean nothing in \(encoding.name): \(replaced)"))
        }
        return warnings
    }
}

extension ParseWarning {
    fileprivate init(refuted label: String) {
        self.init(code: "encoding", message: "the document is not in “\(label.prefix(40))”, as declared")
    }
}
