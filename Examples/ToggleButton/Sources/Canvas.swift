import SensoriumServices

/// What the app draws on: a terminal, a file of lines, a spy.
protocol Canvas: LocationView {
    /// Fills a part of the surface, given as a share of its sides.
    func fill(_ part: Rectangle, with color: ToggleButton.Color, isHighlighted: Bool)
}

extension Responder {
    /// Where it is on the surface that its root fills, as a share of the surface's sides.
    var shareOfSurface: Rectangle {
        let (corner, surface) = (convert(toRoot: .zero), root.frame.size)
        guard surface.width > 0, surface.height > 0 else {
            return Rectangle(x: 0, y: 0, width: 0, height: 0)
        }
        return Rectangle(
            x: corner.x / surface.width, y: corner.y / surface.height,
            width: frame.size.width / surface.width, height: frame.size.height / surface.height)
    }
}
