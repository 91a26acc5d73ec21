// A home, the built program in it, and a server whose feeds a test writes: for every file of these tests.
@_exported public import ProgramSupport
