import Sensorium

/// The completion of the program's command line for fish, made from its declaration.
struct FishCompletion {
    /// The script.
    let text: String

    init(_ root: Command) {
        var script = ShellScript()
        script += "# fish completion of \(root.name), made by: \(root.name) completions fish"
        script += Self.functions(root)
        script += "complete -c \(root.name) -f"
        for lineage in root.lineages {
            let command = lineage[lineage.count - 1]
            let start = "complete -c \(root.name) -n \("__sensorium_at \(lineage.name)".fishQuoted)"
            for below in command.commands {
                script += "\(start) -a \(below.name) -d \(below.summary.fishQuoted)"
            }
            for spec in lineage.allOptions {
                let letter = spec.letter.map { " -s \($0)" } ?? ""
                let value = spec.takesValue ? " -x" + Self.words(spec.completion) : ""
                script += "\(start)\(letter) -l \(spec.name)\(value) -d \(spec.summary.fishQuoted)"
            }
            for argument in command.arguments {
                if case .file = argument.completion {
                    script += "\(start) -F"
                } else if argument.completion != .nothing {
                    script += start + Self.words(argument.completion)
                }
            }
        }
        text = script.text
    }

    private static func words(_ completion: Completion) -> String {
        switch completion {
        case .nothing: ""
        case .file: " -a '(__fish_complete_path)'"
        case .folder: " -a '(__fish_complete_directories)'"
        case .sensor(let others):
            " -a '(__sensorium_sensors)\(others.map { " \($0)" }.joined())'"
        case .words(let words): " -a \(words.joined(separator: " ").fishQuoted)"
        }
    }

    /// Whether the cursor is in a command, and which sensors there are.
    private static func functions(_ root: Command) -> String {
        let valued = Set(root.lineages.flatMap(\.allOptions).filter(\.takesValue).map(\.spellings))
        let options = valued.flatMap(\.self).sorted().joined(separator: " ")
        let commands = root.lineages.dropFirst().map { $0.name.fishQuoted }.joined(separator: " ")
        return """

            # Whether the words before the cursor are of the command that is given.
            function __sensorium_at
                set -l path \(root.name)
                set -l words 0
                set -l is_value 0
                for word in (commandline -opc)[2..-1]
                    if test $is_value = 1
                        set is_value 0
                    else if contains -- $word \(options)
                        set is_value 1
                    else if string match -q -- '-*' $word
                        continue
                    else if test $words = 0; and contains -- "$path $word" \(commands)
                        set path "$path $word"
                    else
                        set words 1
                    end
                end
                test "$path" = "$argv"
            end

            # Kinds, and the sensors that are there now.
            function __sensorium_sensors
                printf '%s\\n' \(SensorKind.words)
                timeout 2 \(root.name) list --json </dev/null 2>/dev/null |
                    sed -n 's/^{"sensor":"\\([^"]*\\)".*/\\1/p'
            end

            """
    }
}

extension String {
    /// The text as one word of fish, in whose single quotes backslashes are special.
    fileprivate var fishQuoted: String {
        "'"
            + reduce(into: "") { quoted, character in
                if character == "\\" || character == "'" { quoted += "\\" }
                quoted.append(character)
            } + "'"
    }
}
