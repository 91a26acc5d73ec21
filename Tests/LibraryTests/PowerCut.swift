import Domain

@testable import Library

/// What the disk may hold after a power cut.
///
/// The model is harsher than any file system: what was not synced may be there or not, each write and each change of a
/// name for itself, in any order; a sync of a file secures its bytes only, a sync of a folder its names only.
struct PowerCut {
    /// How the last write that was not synced is found.
    enum Tear: CaseIterable {
        case whole, half, zeros, everySecondBlock
    }

    let before: [(name: String, bytes: [UInt8])]
    let steps: [DiskRecording.Step]

    /// The steps before `cut` that no sync has secured.
    func unsecured(at cut: Int) -> [Int] {
        var pending: [Int] = []
        for (index, step) in steps.prefix(cut).enumerated() {
            switch step {
            case .syncAll: pending = []
            case .syncFile(let file): pending.removeAll { steps[$0].changedFile == file }
            case .syncFolder(let folder):
                pending.removeAll { steps[$0].changedNames.contains { Self.folder(of: $0) == folder } }
            default: pending.append(index)
            }
        }
        return pending
    }

    /// The files after a cut, where the steps in `lost` never reached the disk.
    func files(at cut: Int, losing lost: Set<Int>, tear: Tear = .whole, at torn: Int? = nil) -> [String: [UInt8]] {
        var content: [Int: [UInt8]] = [:]
        var names: [String: Int] = [:]
        for (number, file) in before.enumerated() {
            content[number] = file.bytes
            names[file.name] = number
        }
        for (index, step) in steps.prefix(cut).enumerated() where !lost.contains(index) {
            switch step {
            case .create(let file, let name):
                names[name] = file
                if content[file] == nil { content[file] = [] }
            case .write(let file, let offset, let bytes):
                var all = content[file] ?? []
                let written = index == torn ? tear.applied(to: bytes) : bytes
                if all.count < offset + written.count { all += [UInt8](repeating: 0, count: offset + written.count - all.count) }
                all.replaceSubrange(offset..<offset + written.count, with: written)
                content[file] = all
            case .cut(let file, let length): content[file] = Array((content[file] ?? []).prefix(length))
            case .rename(let file, let from, let to):
                if names[from] == file { names[from] = nil }
                names[to] = file
            case .link(let file, let to): names[to] = file
            case .remove(let name): names[name] = nil
            case .folder, .syncFile, .syncFolder, .syncAll: break
            }
        }
        return names.mapValues { content[$0] ?? [] }
    }

    /// States worth looking at: all or nothing of what is not secured, only its data or only its names, each step
    /// alone lost or kept, torn writes, and `random` mixtures.
    func states(at cut: Int, random: Int, from generator: inout some RandomNumberGenerator) -> [[String: [UInt8]]] {
        let pending = unsecured(at: cut)
        var losses: [Set<Int>] = [[], Set(pending)]
        losses.append(Set(pending.filter { steps[$0].changedFile != nil }))
        losses.append(Set(pending.filter { steps[$0].changedFile == nil }))
        if pending.count <= 40 {
            for index in pending {
                losses.append([index])
                losses.append(Set(pending).subtracting([index]))
            }
        }
        for _ in 0..<(pending.isEmpty ? 0 : random) { losses.append(Set(pending.filter { _ in Bool.random(using: &generator) })) }
        var states = Set(losses).map { files(at: cut, losing: $0) }
        if let torn = pending.last(where: { if case .write = steps[$0] { true } else { false } }) {
            for tear in Tear.allCases.dropFirst() { states.append(files(at: cut, losing: [], tear: tear, at: torn)) }
        }
        return states
    }

    private static func folder(of name: String) -> String { name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "" }
}

extension PowerCut.Tear {
    fileprivate func applied(to bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .whole: bytes
        case .half: Array(bytes.prefix(bytes.count / 2))
        case .zeros: Array(repeating: 0, count: bytes.count)
        case .everySecondBlock: bytes.enumerated().map { $0.offset / 512 % 2 == 0 ? $0.element : 0 }
        }
    }
}

extension DiskRecording.Step {
    /// The file whose content it changes.
    fileprivate var changedFile: Int? {
        switch self {
        case .write(let file, _, _), .cut(let file, _): file
        default: nil
        }
    }

    fileprivate var changedNames: [String] {
        switch self {
        case .create(_, let name), .folder(let name), .remove(let name): [name]
        case .link(_, let to): [to]
        case .rename(_, let from, let to): [from, to]
        default: []
        }
    }
}
