internal import CLibXML

// Where libxml2 comes by a placeholder, what it stands for is handed to the builder as libxml2 would have done it.
extension XMLPushParser {
    static func read(_ events: Range<Int>, _ state: UnsafeMutablePointer<State>) {
        var index = events.lowerBound
        var element: QualifiedNames.Name?
        while index < events.upperBound, !state.pointee.isSetAside {
            let event = state.pointee.skeleton.extracts.events[index]
            if event.lines > 0 { state.pointee.context?.pointee.input?.pointee.line += event.lines }
            switch event.kind {
            case .text: state.pointee.builder.lastingCharacters(state.pointee.skeleton.extracts.bytes(of: event))
            case .start:
                state.pointee.attributes.removeAll()
                while index + 2 < events.upperBound, state.pointee.skeleton.extracts.events[index + 1].kind == .attribute {
                    readAttribute(at: index + 1, state)
                    index += 2
                }
                element = name(of: event, state)
                if let element { start(element, state.pointee.attributes.view, state) }
            case .end:
                if let element { state.pointee.builder.end(element.local) }
            case .attribute, .value: break
            }
            index += 1
        }
    }

    private static func readAttribute(at index: Int, _ state: UnsafeMutablePointer<State>) {
        let events = state.pointee.skeleton.extracts.events
        guard let name = name(of: events[index], state) else { return }
        state.pointee.attributes.append(name, state.pointee.skeleton.extracts.bytes(of: events[index + 1]))
    }

    private static func name(of event: Extracts.Event, _ state: UnsafeMutablePointer<State>) -> QualifiedNames.Name? {
        let bytes = state.pointee.skeleton.extracts.bytes(of: event)
        let name = state.pointee.qualifiedNames.name(bytes, prefix: Int(event.prefix), in: state.pointee.context?.pointee.dict)
        if let name, name.prefix != nil, name.uri == nil { state.pointee.builder.meetUndeclaredPrefix() }
        return name
    }
}
