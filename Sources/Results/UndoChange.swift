public import Domain

/// What taking a command back changed, or doing it again.
public struct UndoChange: Sendable {
    public var mark: UndoMark
    /// Podcasts that came back.
    public var subscribed: [Podcast] = []
    public var unsubscribed: [Podcast] = []
    public var edited: [(before: Podcast, after: Podcast)] = []
    /// The changes of tags, queue, positions and bookmarks.
    public var owned: UndoStep

    /// The setting that was changed back.
    public var setting: SettingReversal?

    public init(_ step: UndoStep) { (mark, owned) = (step.mark, UndoStep(step.mark)) }

    public var isEmpty: Bool { subscribed.isEmpty && unsubscribed.isEmpty && edited.isEmpty && setting == nil && owned.isEmpty }
}
