/// Wording of the play queue's commands.
public enum QueueWording {
    public static let isEmpty = "The queue is empty; 'jimmy queue add EPISODE' adds to it."

    public static func alreadyQueued(_ count: Int) -> String { counted(count, "episode") + " already queued." }
    public static func cleared(_ count: Int) -> String { counted(count, "episode") + " removed from the queue." }
}

extension FailureLine {
    public static func notQueued(_ name: String) -> FailureLine {
        FailureLine(name, "not in the queue", status: .incomplete, advice: "'jimmy queue' lists what is")
    }
}
