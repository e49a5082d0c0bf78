import Sensorium

/// The completion of the program's command line for zsh, made from its declaration.
///
/// Source: zshcompsys(1), `_arguments` and `_describe`.
struct ZshCompletion {
    /// The script, a file named `_sensorium` in a folder of `fpath`.
    let text: String

    init(_ root: Command) {
        var script = ShellScript()
        script += "#compdef \(root.name)"
        script += "# zsh completion of \(root.name), made by: \(root.name) completions zsh"
        for lineage in root.lineages.reversed() {
            script += ""
            Self.function(lineage, &script)
        }
        script += Self.sensors
        script += "\(Self.name([root])) \"$@\""
        text = script.text
    }

    /// The function that completes a command: `_sensorium_decode_gpsd`.
    private static func name(_ lineage: [Command]) -> String {
        "_" + lineage.map(\.name).joined(separator: "_")
    }

    private static func function(_ lineage: [Command], _ script: inout ShellScript) {
        let command = lineage[lineage.count - 1]
        var specs = lineage.allOptions.map(option)
        if command.commands.isEmpty {
            specs += command.arguments.enumerated().map(argument)
        } else {
            specs += ["'1:command:->command'", "'*::word:->word'"]
        }
        script.block("\(name(lineage))() {", "}") { script in
            script += "local context state state_descr line"
            script += "typeset -A opt_args"
            script += "_arguments -C -S : \\"
            script += specs.map { "    \($0)" }.joined(separator: " \\\n")
            if command.commands.isEmpty { return }
            script.block("case $state in", "esac") { script in
                let commands = command.commands
                script += "command)"
                script += "    local -a commands=("
                for below in commands {
                    let meaning = "\(below.name):\(escaped(below.summary, ":\\"))"
                    script += "        \(meaning.shellQuoted)"
                }
                script += "    )"
                script += "    _describe command commands"
                script += "    ;;"
                script += "word)"
                script.block("    case $line[1] in", "    esac") { script in
                    for below in commands {
                        script += "    \(below.name)) \(name(lineage + [below])) ;;"
                    }
                }
                script += "    ;;"
            }
        }
    }

    private static func option(_ spec: OptionSpec) -> String {
        let names = spec.spellings
        let meaning = "[\(escaped(spec.summary, "\\[]"))]"
        var value = ""
        if let placeholder = spec.placeholder {
            value = ":\(escaped(placeholder, ":\\")):\(action(spec.completion))"
        }
        let mayRepeat = spec.isRepeatable && spec.takesValue
        return names.map { name in
            // One spelling given, the others are not offered any more.
            let exclusion = mayRepeat ? "*" : "(\(names.joined(separator: " ")))"
            let ending = spec.takesValue && name.hasPrefix("--") ? "=" : ""
            return (exclusion + name + ending + meaning + value).shellQuoted
        }.joined(separator: " ")
    }

    private static func argument(_ index: Int, _ argument: Argument) -> String {
        let place =
            switch argument.occurrence {
            case .required: "\(index + 1):"
            case .optional: "\(index + 1)::"
            case .anyNumber: "*:"
            }
        return (place + escaped(argument.name, ":\\") + ":" + action(argument.completion))
            .shellQuoted
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .sensor(let others):
            others.isEmpty
                ? "_sensorium_sensors"
                : "{_sensorium_sensors; compadd -- \(others.joined(separator: " "))}"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String, _ characters: String) -> String {
        text.reduce(into: "") { escaped, character in
            if characters.contains(character) { escaped += "\\" }
            escaped.append(character)
        }
    }

    /// Asks the program itself which sensors there are.
    private static let sensors = """

        # Kinds, and the sensors that are there now.
        _sensorium_sensors() {
            local -a kinds=(\(SensorKind.words)) sensors
            sensors=(${(f)"$(timeout 2 sensorium list --json </dev/null 2>/dev/null |
                sed -n 's/^{"sensor":"\\([^"]*\\)".*/\\1/p')"})
            compadd -a kinds
            compadd -a sensors
        }

        """
}
