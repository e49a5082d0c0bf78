/// A script under construction, indented by its blocks.
struct ShellScript {
    private(set) var text = ""
    private var indent = ""

    /// Adds lines.
    static func += (script: inout ShellScript, lines: String) {
        for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
            script.text += line.isEmpty ? "\n" : "\(script.indent)\(line)\n"
        }
    }

    /// Adds `first`, what `body` adds, indented, and `last`, where there is one.
    mutating func block(_ first: String, _ last: String?, _ body: (inout ShellScript) -> Void) {
        self += first
        let outer = indent
        indent += "    "
        body(&self)
        indent = outer
        if let last { self += last }
    }
}
