/// The description of its devices that an `iiod` gives to every client.
enum FakeIIODDescription {
    /// The document, in the form of libiio 0.24.
    static func xml(of state: FakeIIOD.State) -> String {
        var text = #"<?xml version="1.0" encoding="utf-8"?>"#
        text += grammar
        text += #"<context name="local" version-major="0" version-minor="24" version-git="v0.24" "#
        text += #"description="Linux fake 6.1.0" >"#
        for device in state.order.compactMap({ state.devices[$0] }) { text += xml(of: device) }
        for (index, trigger) in state.triggers.enumerated() {
            text += #"<device id="trigger\#(index)" name="\#(escape(trigger))" ></device>"#
        }
        return text + "</context>"
    }

    /// libiio checks the document against the grammar that stands in it.
    private static let grammar = """
        <!DOCTYPE context [<!ELEMENT context (device)*><!ELEMENT device (channel | attribute)*>\
        <!ELEMENT channel (scan-element?, attribute*)><!ELEMENT scan-element EMPTY>\
        <!ELEMENT attribute EMPTY><!ATTLIST context name CDATA #REQUIRED version-major CDATA #REQUIRED \
        version-minor CDATA #REQUIRED version-git CDATA #REQUIRED description CDATA #IMPLIED>\
        <!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED label CDATA #IMPLIED>\
        <!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED>\
        <!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED>\
        <!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED>]>
        """

    /// The name of the trigger of that id or name.
    static func triggerName(_ name: String, in triggers: [String]) -> String? {
        if let index = Int(name.drop { !$0.isNumber }), name.hasPrefix("trigger"),
            triggers.indices.contains(index)
        {
            return triggers[index]
        }
        return triggers.first { $0 == name }
    }

    private static func xml(of device: ScriptedDevice) -> String {
        var text = #"<device id="\#(escape(device.id))""#
        if let name = device.name { text += #" name="\#(escape(name))""# }
        if let label = device.label { text += #" label="\#(escape(label))""# }
        text += " >"
        for channel in device.orderedChannels {
            text += #"<channel id="\#(escape(channel.id))" type="input" >"#
            if let index = channel.index {
                text += #"<scan-element index="\#(index)" format="\#(escape(channel.type))" />"#
            }
            for name in channel.attributes.keys.sorted() {
                text +=
                    #"<attribute name="\#(escape(name))" filename="in_\#(escape(channel.id))_\#(escape(name))" />"#
            }
            text += "</channel>"
        }
        for name in device.attributes.keys.sorted() {
            text += #"<attribute name="\#(escape(name))" />"#
        }
        return text + "</device>"
    }

    private static func escape(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}
