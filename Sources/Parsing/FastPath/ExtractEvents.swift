internal import CLibXML

// When libxml2 reports a placeholder, the builder receives the content it replaces as if libxml2 had reported it.
extension XMLPushParser {
    static func read(_ events: Range<Int>, _ state: UnsafeMutablePointer<State>) {
        let tape = state.pointee.skeleton.extracts.events
        let end = tape + events.upperBound
        var event = tape + events.lowerBound
        var element: QualifiedNames.Name?
        while event < end, !state.pointee.isSetAside {
            state.pointee.linesTakenOut += Int(event.pointee.lines)
            switch event.pointee.kind {
            case .text: state.pointee.builder.lastingCharacters(state.pointee.skeleton.extracts.bytes(of: event.pointee))
            case .start:
                let start = event
                state.pointee.attributes.removeAll()
                while event + 2 < end, event[1].kind == .attribute {
                    if let attribute = name(of: event[1], state) {
                        state.pointee.attributes.append(attribute, state.pointee.skeleton.extracts.bytes(of: event[2]))
                    }
                    event += 2
                }
                element = name(of: start.pointee, state)
                if let element { Self.start(element.element, state.pointee.attributes.view, state) }
            case .end:
                if let element { state.pointee.builder.end(element.local) }
            case .attribute, .value: break
            }
            event += 1
        }
    }

    @inline(__always)
    private static func name(of event: Extracts.Event, _ state: UnsafeMutablePointer<State>) -> QualifiedNames.Name? {
        let bytes = state.pointee.skeleton.extracts.bytes(of: event)
        let name = state.pointee.names.name(bytes, prefix: Int(event.prefix), in: state.pointee.libxml)
        if let name, !name.isDeclared { state.pointee.builder.meetUndeclaredPrefix() }
        return name
    }
}
