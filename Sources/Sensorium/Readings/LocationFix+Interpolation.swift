extension LocationFix: InterpolatableReading {
    /// The position on the straight line in degrees between two fixes, the short way round where
    /// they lie on either side of the 180th meridian.
    ///
    /// An optional value is interpolated where both fixes have it; the course the short way round
    /// the compass. The accuracy is the worse of the two. Nil when either latitude is within a
    /// tenth of a degree of a pole, where longitude says little.
    public static func interpolate(
        _ first: LocationFix, _ second: LocationFix, _ fraction: Double
    ) -> LocationFix? {
        guard abs(first.latitude) < 89.9, abs(second.latitude) < 89.9 else { return nil }
        func between(_ path: KeyPath<LocationFix, Double?>) -> Double? {
            guard let a = first[keyPath: path], let b = second[keyPath: path] else { return nil }
            return a + (b - a) * fraction
        }
        func worse(_ path: KeyPath<LocationFix, Accuracy?>) -> Accuracy? {
            guard let a = first[keyPath: path], let b = second[keyPath: path],
                a.confidence == b.confidence
            else { return nil }
            return a.value < b.value ? b : a
        }
        var fix = first
        fix.latitude += (second.latitude - first.latitude) * fraction
        let eastward = shortWay(second.longitude - first.longitude)
        fix.longitude = shortWay(first.longitude + eastward * fraction)
        fix.altitudeMSL = between(\.altitudeMSL)
        fix.altitudeEllipsoid = between(\.altitudeEllipsoid)
        fix.speed = between(\.speed)
        fix.climb = between(\.climb)
        fix.course = nil
        if let a = first.course, let b = second.course {
            let turned = a + shortWay(b - a) * fraction
            fix.course = turned - 360 * (turned / 360).rounded(.down)
        }
        fix.horizontalAccuracy = worse(\.horizontalAccuracy)
        fix.verticalAccuracy = worse(\.verticalAccuracy)
        fix.speedAccuracy = worse(\.speedAccuracy)
        fix.courseAccuracy = worse(\.courseAccuracy)
        fix.fix = first.fix.rawValue < second.fix.rawValue ? first.fix : second.fix
        fix.quality = first.quality == second.quality ? first.quality : .unknown
        fix.satellitesUsed = nil
        fix.flags.formUnion(second.flags)
        return fix
    }

    /// An angle in degrees brought to -180 to 180.
    private static func shortWay(_ degrees: Double) -> Double {
        degrees - 360 * ((degrees + 180) / 360).rounded(.down)
    }
}
