internal import Addresses
internal import Domain

/// The texts of a channel or an item while they are being collected. Each has several possible sources, of which the
/// best wins, whatever their order. Among equal sources the first wins; empty texts are ignored.
struct TextDrafts {
    private var texts = ItemTexts()
    private var ranks = InlineArray<8, UInt8>(repeating: .max)

    subscript(field: ItemTexts.Field) -> String? { texts[field] }

    func isEmpty(_ field: ItemTexts.Field) -> Bool { texts.isEmpty(field) }

    /// Without a rank the first wins.
    mutating func offer(_ field: ItemTexts.Field, _ text: Text, rank: UInt8 = 0) {
        guard rank < ranks[field.rawValue], !text.isEmpty else { return }
        texts.set(field, to: text.bytes.span)
        ranks[field.rawValue] = rank
    }

    mutating func offer(_ field: ItemTexts.Field, _ text: String?, rank: UInt8 = 0) {
        guard rank < ranks[field.rawValue], let text, !text.isEmpty else { return }
        texts[field] = text
        ranks[field.rawValue] = rank
    }

    /// itunes:title is stored only if it differs from the title.
    mutating func dropRepeatedITunesTitle() {
        if texts.isSame(.itunesTitle, as: .title) { texts[.itunesTitle] = nil }
    }

    /// Uses a guid that is a permanent link as the link, if there is none.
    mutating func linkByGuid() {
        guard isEmpty(.link) else { return }
        if texts.withBytes(of: .guid, Text.isPlainWebURL) {
            texts.copy(.guid, to: .link)
        } else if let guid = texts[.guid], URLReference.isWeb(guid) {
            texts[.link] = URLReference.resolve(guid, against: nil)
        }
    }

    /// Moves the texts out and resets the draft.
    mutating func take() -> ItemTexts {
        ranks = InlineArray(repeating: .max)
        return texts.moved()
    }
}
