/// Writes SVG 1.1, element by element.
struct SVGWriter {
    private(set) var text = ""

    /// What is drawn how, as attributes.
    typealias Attributes = KeyValuePairs<String, String>

    /// Begins a picture of a size in pixels, on white, with a title for those who cannot see it.
    init(width: Double, height: Double, title: String) {
        let size = "\(Self.number(width)) \(Self.number(height))"
        text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" \
            width="\(Self.number(width))" height="\(Self.number(height))" role="img" \
            font-family="sans-serif" font-size="12">
            <title>\(Self.escaped(title))</title>
            <rect width="100%" height="100%" fill="white"/>

            """
    }

    /// Draws a line through points; nothing for less than two.
    mutating func polyline(_ points: [(x: Double, y: Double)], _ attributes: Attributes) {
        if points.count < 2 { return }
        let places = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        element("polyline", ["points": places.joined(separator: " ")], attributes)
    }

    /// Draws a straight line.
    mutating func line(
        from start: (x: Double, y: Double), to end: (x: Double, y: Double),
        _ attributes: Attributes
    ) {
        element(
            "line",
            [
                "x1": Self.number(start.x), "y1": Self.number(start.y), "x2": Self.number(end.x),
                "y2": Self.number(end.y),
            ], attributes)
    }

    /// Draws a rectangle.
    mutating func rectangle(_ area: PlotArea, _ attributes: Attributes) {
        element(
            "rect",
            [
                "x": Self.number(area.left), "y": Self.number(area.top),
                "width": Self.number(area.width), "height": Self.number(area.height),
            ], attributes)
    }

    /// Draws a disc.
    mutating func circle(
        at center: (x: Double, y: Double), radius: Double, _ attributes: Attributes
    ) {
        element(
            "circle",
            [
                "cx": Self.number(center.x), "cy": Self.number(center.y),
                "r": Self.number(radius),
            ], attributes)
    }

    /// Writes text; its baseline begins at the point unless `text-anchor` says otherwise.
    mutating func label(
        _ label: String, at point: (x: Double, y: Double), _ attributes: Attributes = [:]
    ) {
        text += "<text x=\"\(Self.number(point.x))\" y=\"\(Self.number(point.y))\""
        write(attributes)
        text += ">\(Self.escaped(label))</text>\n"
    }

    /// Draws what `content` draws, with the attributes, and nothing outside of `area`.
    mutating func clipped(
        to area: PlotArea, id: String, _ attributes: Attributes,
        _ content: (inout SVGWriter) -> Void
    ) {
        text += "<clipPath id=\"\(id)\">"
        rectangle(area, [:])
        text += "</clipPath>\n<g clip-path=\"url(#\(id))\""
        write(attributes)
        text += ">\n"
        content(&self)
        text += "</g>\n"
    }

    /// Ends the picture.
    mutating func finish() { text += "</svg>\n" }

    // MARK: Inside

    private mutating func element(
        _ name: String, _ own: Attributes, _ attributes: Attributes
    ) {
        text += "<\(name)"
        write(own)
        write(attributes)
        text += "/>\n"
    }

    private mutating func write(_ attributes: Attributes) {
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
    }

    /// A length with two decimals at most.
    private static func number(_ value: Double) -> String {
        var digits = value.fixed(2)
        while digits.contains("."), digits.hasSuffix("0") || digits.hasSuffix(".") {
            digits.removeLast()
        }
        return digits
    }

    /// Text with what XML knows as markup escaped, and without what it forbids.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A rectangle of a picture, in pixels.
struct PlotArea: Hashable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double

    var right: Double { left + width }
    var bottom: Double { top + height }
}
