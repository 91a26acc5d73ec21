internal import CFiles

/// Memory that was freed, and that malloc keeps because it lies between memory in use.
public enum FreedMemory {
    /// Number of bytes from which on a document or file is worth the walk through all of malloc's memory.
    public static let worthwhile = 8 << 20

    /// Gives it back to the system, so that what is large can take its place.
    public static func giveBack() { malloc_trim(0) }
}
