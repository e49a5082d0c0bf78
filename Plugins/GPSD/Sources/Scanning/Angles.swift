import Glibc

extension Double {
    /// The sine of an angle in radians.
    var sine: Double { sin(self) }
    /// The cosine of an angle in radians.
    var cosine: Double { cos(self) }
}
