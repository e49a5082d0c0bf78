import Sensorium

/// The completion of the program's command line for bash, made from its declaration.
///
/// It needs nothing but bash 4: where the package bash-completion is not installed, `source` it.
struct BashCompletion {
    /// The script.
    let text: String

    init(_ root: Command) {
        var script = ShellScript()
        script += "# bash completion of \(root.name), made by: \(root.name) completions bash"
        script += Self.sensors
        script += ""
        script.block("_sensorium() {", "}") { script in
            script += Self.walk(root)
            script += ""
            Self.values(root, &script)
            script.block("if [[ $current == -* ]]; then", "fi") { script in
                Self.options(root, &script)
                script += "return"
            }
            Self.words(root, &script)
        }
        script += "complete -F _sensorium \(root.name)"
        text = script.text
    }

    /// Asks the program itself which sensors there are, with the options of the line so far.
    private static let sensors = """

        # Kinds, and the sensors that are there now.
        _sensorium_sensors() {
            printf '%s\\n' \(SensorKind.words)
            timeout 2 "${1/#\\~/$HOME}" "${passed[@]}" list --json </dev/null 2>/dev/null |
                sed -n 's/^{"sensor":"\\([^"]*\\)".*/\\1/p'
        }
        """

    /// Follows the line to the word at the cursor: which command it is in, and how many of that
    /// command's words came before.
    ///
    /// Bash takes `--option=value` for three words.
    private static func walk(_ root: Command) -> String {
        let valued = Set(root.lineages.flatMap(\.allOptions).filter(\.takesValue).map(\.spellings))
        let options = valued.flatMap(\.self).sorted().joined(separator: "|")
        let passed = root.options.filter(\.takesValue).flatMap(\.spellings).joined(separator: "|")
        let commands = root.lineages.dropFirst().map { "\($0.name)".shellQuoted }
        return """
            local path=\(root.name) count=0 index=1 word value
            local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
            local -a passed=()
            COMPREPLY=()
            if [[ $current == '=' ]]; then
                current=
            elif [[ $previous == '=' ]]; then
                previous=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            while ((index < COMP_CWORD)); do
                word=${COMP_WORDS[index]}
                ((index++))
                case $word in
                    \(options))
                        [[ ${COMP_WORDS[index]} == '=' ]] && ((index++))
                        value=${COMP_WORDS[index]}
                        ((index++))
                        case $word in
                            \(passed)) passed+=("$word" "$value") ;;
                        esac
                        continue
                        ;;
                    -*) continue ;;
                esac
                case "$path $word" in
                    \(commands.joined(separator: "|")))
                        if ((count == 0)); then
                            path+=" $word"
                            continue
                        fi
                        ;;
                esac
                ((count++))
            done
            """
    }

    private static func values(_ root: Command, _ script: inout ShellScript) {
        script.block("case \"$path $previous\" in", "esac") { script in
            for lineage in root.lineages {
                let command = lineage[lineage.count - 1]
                // Commands below one take its options, too.
                let below = command.commands.isEmpty ? "' '" : "*' '"
                for spec in command.options where spec.takesValue {
                    let patterns = spec.spellings.map { "\(lineage.name.shellQuoted)\(below)\($0)" }
                    script.block("\(patterns.joined(separator: "|")))", nil) { script in
                        offer(spec.completion, &script)
                        script += "return"
                        script += ";;"
                    }
                }
            }
        }
    }

    private static func options(_ root: Command, _ script: inout ShellScript) {
        script.block("case $path in", "esac") { script in
            for lineage in root.lineages {
                script.block("\(lineage.name.shellQuoted))", nil) { script in
                    offer(.words(lineage.allOptions.flatMap(\.spellings)), &script)
                    script += ";;"
                }
            }
        }
    }

    private static func words(_ root: Command, _ script: inout ShellScript) {
        script.block("case \"$path $count\" in", "esac") { script in
            for lineage in root.lineages {
                let command = lineage[lineage.count - 1]
                let name = lineage.name
                if !command.commands.isEmpty {
                    script.block("\("\(name) 0".shellQuoted))", nil) { script in
                        offer(.words(command.commands.map(\.name)), &script)
                        script += ";;"
                    }
                }
                for (index, argument) in command.arguments.enumerated() {
                    let pattern =
                        argument.occurrence == .anyNumber
                        ? "\(name) ".shellQuoted + "*" : "\(name) \(index)".shellQuoted
                    script.block("\(pattern))", nil) { script in
                        offer(argument.completion, &script)
                        script += ";;"
                    }
                }
            }
        }
    }

    private static func offer(_ completion: Completion, _ script: inout ShellScript) {
        let action: String
        switch completion {
        case .nothing:
            return
        case .file:
            script += "compopt -o filenames 2>/dev/null"
            action = "-f"
        case .folder:
            script += "compopt -o filenames 2>/dev/null"
            action = "-d"
        case .sensor(let others):
            let words = others.map { " \($0)" }.joined()
            action = "-W \"$(_sensorium_sensors \"$1\")\(words)\""
        case .words(let words): action = "-W \(words.joined(separator: " ").shellQuoted)"
        }
        script += "mapfile -t COMPREPLY < <(compgen \(action) -- \"$current\")"
    }
}
