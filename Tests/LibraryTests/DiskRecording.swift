import Glibc
import Synchronization

@testable import Library

/// What a run asked of the disk, in order: enough to make up every state that a power cut could leave.
final class DiskRecording: Sendable {
    /// Files have numbers, because a name can move from one to the other. Names are relative to the library.
    enum Step: Hashable, Sendable {
        case create(file: Int, name: String)
        case folder(String)
        case write(file: Int, offset: Int, bytes: [UInt8])
        case cut(file: Int, length: Int)
        case link(file: Int, to: String)
        case rename(file: Int, from: String, to: String)
        case remove(String)
        case syncFile(Int)
        case syncFolder(String)
        case syncAll
    }

    private struct Open {
        var name: String
        var file: Int?
        var offset = 0
    }

    private struct State {
        var steps: [Step] = []
        var names: [String: Int] = [:]
        var count = 0
        var open: [Int32: Open] = [:]
    }

    private let state = Mutex(State())
    private let root: String

    /// - Parameter files: what is on the disk already, with their names; they get the first numbers, in this order.
    init(root: String, files: [String]) {
        self.root = root
        state.withLock { state in
            for name in files {
                state.names[name] = state.count
                state.count += 1
            }
        }
    }

    var steps: [Step] { state.withLock { $0.steps } }

    private func name(_ path: String) -> String { path == root ? "" : String(path.dropFirst(root.count + 1)) }

    private func note(_ isDone: Bool, _ step: (inout State) -> Step?) {
        guard isDone else { return }
        state.withLock { state in
            if let step = step(&state) { state.steps.append(step) }
        }
    }

    /// The real calls, with a note of each that worked.
    var calls: SystemCalls {
        var calls = SystemCalls()
        let real = calls
        calls.open = { path, flags, mode in
            let descriptor = real.open(path, flags, mode)
            self.note(descriptor >= 0) { state in
                let name = self.name(path)
                var step: Step?
                if state.names[name] == nil, flags & O_CREAT != 0 {
                    state.names[name] = state.count
                    step = .create(file: state.count, name: name)
                    state.count += 1
                } else if flags & O_TRUNC != 0, let file = state.names[name] {
                    step = .cut(file: file, length: 0)
                }
                state.open[descriptor] = Open(name: name, file: state.names[name])
                return step
            }
            return descriptor
        }
        calls.seek = { descriptor, offset in
            let result = real.seek(descriptor, offset)
            self.note(result >= 0) {
                $0.open[descriptor]?.offset = Int(offset); return nil
            }
            return result
        }
        calls.write = { descriptor, bytes in
            let written = real.write(descriptor, bytes)
            let content = bytes.withUnsafeBytes { Array($0.prefix(max(0, written))) }
            self.note(written > 0) { state in
                guard let open = state.open[descriptor], let file = open.file else { return nil }
                state.open[descriptor]?.offset += written
                return .write(file: file, offset: open.offset, bytes: content)
            }
            return written
        }
        calls.truncate = { descriptor, length in
            let result = real.truncate(descriptor, length)
            self.note(result == 0) { state in state.open[descriptor]?.file.map { .cut(file: $0, length: Int(length)) } }
            return result
        }
        calls.fsync = { descriptor in
            let result = real.fsync(descriptor)
            self.note(result == 0) { state in
                guard let open = state.open[descriptor] else { return nil }
                return open.file.map { .syncFile($0) } ?? .syncFolder(open.name)
            }
            return result
        }
        calls.syncfs = { descriptor in
            let result = real.syncfs(descriptor)
            self.note(result == 0) { _ in .syncAll }
            return result
        }
        calls.rename = { from, to in
            let result = real.rename(from, to)
            self.note(result == 0) { state in
                guard let file = state.names.removeValue(forKey: self.name(from)) else { return nil }
                state.names[self.name(to)] = file
                return .rename(file: file, from: self.name(from), to: self.name(to))
            }
            return result
        }
        calls.link = { from, to in
            let result = real.link(from, to)
            self.note(result == 0) { state in
                guard let file = state.names[self.name(from)] else { return nil }
                state.names[self.name(to)] = file
                return .link(file: file, to: self.name(to))
            }
            return result
        }
        calls.unlink = { path in
            let result = real.unlink(path)
            self.note(result == 0) { state in
                state.names[self.name(path)] = nil
                return .remove(self.name(path))
            }
            return result
        }
        calls.mkdir = { path, mode in
            let result = real.mkdir(path, mode)
            self.note(result == 0) { _ in .folder(self.name(path)) }
            return result
        }
        return calls
    }
}
