// A home, the built program in it, and a server whose feeds a test writes: for every file of these tests.
@_exported public import ProgramSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// With `JIMMY_TEST_LIBRARY=database` the test is left out.
    static func foldersOnly(_ reason: Comment) -> Self { .disabled(if: Home.usesDatabase, reason) }
}
