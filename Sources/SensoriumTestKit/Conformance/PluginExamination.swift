import Sensorium

/// The checks of a plugin, and of each of its sensors.
struct PluginExamination: Sendable {
    let run: ConformanceRun

    func examine(
        _ make: @escaping @Sendable (PluginHost) async throws -> any PluginInstance
    ) async {
        let (clock, configuration) = (run.clock, run.conformance.configuration)
        let host = PluginHost(clock: clock, configuration: { configuration[$0] })
        let sleepers = run.virtualClock?.sleeperCount
        let plugin: any PluginInstance
        do {
            plugin = try await make(host)
        } catch {
            run.note(.manifest, .failed("the plugin could not be made: \(error)"))
            return
        }
        let manifest = plugin.manifest
        run.name(manifest.id)
        run.note(.manifest, failing: manifestFault(manifest))
        // The conformance listens as a registry does, before it looks.
        await plugin.watch { _ in }
        let sensors = await discover(plugin)
        if let sensors {
            run.note(.identifiers, failing: identifierFault(sensors, manifest))
            run.note(.discovery, failing: await discoveryFault(plugin, sensors))
        }
        let chosen = (sensors ?? []).filter { run.conformance.selects($0.descriptor) }
        await examine(chosen, of: manifest)
        if let sensor = chosen.first {
            await examineStopping(plugin, sensor, sleepers)
        } else {
            _ = await run.ends("stop()", within: run.limits.closing) { await plugin.stop() }
            run.note(.stopping, .skipped("there is no sensor to have open meanwhile"))
        }
    }

    private func examine(_ sensors: [any Sensor], of manifest: PluginManifest) async {
        // One after the other in virtual time, so that a run is the same every time.
        if run.virtualClock != nil {
            for sensor in sensors { await run.examine(sensor, of: manifest) }
            return
        }
        await withTaskGroup(of: Void.self) { group in
            for sensor in sensors {
                group.addTask { [run] in await run.examine(sensor, of: manifest) }
            }
        }
        run.sort(by: sensors.map(\.id))
    }

    private func manifestFault(_ manifest: PluginManifest) -> String? {
        let id = manifest.id
        let isName = id.utf8.allSatisfy { byte in
            (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d
        }
        if id.isEmpty || !isName {
            return "the id \"\(id)\" is not made of a to z, digits and hyphens"
        }
        let numbers = manifest.version.split(separator: ".", omittingEmptySubsequences: false)
        if numbers.count != 3 || !numbers.allSatisfy({ UInt32($0) != nil }) {
            return "the version \"\(manifest.version)\" is not MAJOR.MINOR.PATCH"
        }
        if manifest.kinds.isEmpty { return "it lists no kind of sensor" }
        if Set(manifest.kinds).count != manifest.kinds.count { return "it lists a kind twice" }
        return nil
    }

    private func discover(_ plugin: any PluginInstance) async -> [any Sensor]? {
        let result = await run.within(run.limits.opening) {
            () -> Result<[any Sensor], SensorError> in
            do throws(SensorError) {
                return .success(try await plugin.discover())
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let sensors) where sensors.isEmpty:
            run.note(.discovery, .failed("it found no sensor; is what it needs there?"))
        case .success(let sensors): return sensors
        case .failure(let error): run.note(.discovery, .failed("discover() threw: \(error)"))
        case nil: run.note(.discovery, .failed("discover() did not return"))
        }
        return nil
    }

    private func identifierFault(_ sensors: [any Sensor], _ manifest: PluginManifest) -> String? {
        var seen: Set<SensorID> = []
        for id in sensors.map(\.id) {
            if !seen.insert(id).inserted { return "two sensors are called \(id)" }
            let prefix = "\(manifest.id)/"
            if !id.rawValue.hasPrefix(prefix) || id.rawValue.utf8.count == prefix.utf8.count {
                return "\"\(id)\" does not begin with \"\(prefix)\""
            }
        }
        return nil
    }

    private func discoveryFault(
        _ plugin: any PluginInstance, _ sensors: [any Sensor]
    ) async -> String? {
        if let open = run.world.openCount?(), open > 0 {
            return "\(open) devices are open after discover()"
        }
        guard let again = await discover(plugin) else { return "the second time failed" }
        let (before, after) = (sensors.map(\.id).sorted(), again.map(\.id).sorted())
        return before == after ? nil : "first it found \(before), then \(after)"
    }

    /// Stops the plugin while one of its sensors is open.
    private func examineStopping(
        _ plugin: any PluginInstance, _ sensor: some Sensor, _ sleepers: Int?
    ) async {
        let examination = SensorExamination(sensor, run: run)
        let probe = examination.makeProbe()
        let opening = await examination.open(probe)
        guard case .open(let session) = opening else {
            run.note(.stopping, .skipped("no sensor could be opened to have it open meanwhile"))
            return
        }
        _ = await examination.gather(probe, 1, within: run.limits.delivery)
        var fault = await run.ends("stop()", within: run.limits.closing) { await plugin.stop() }
        probe.seal()
        await run.clock.pause(for: run.limits.quiet)
        if let late = probe.heard.late.first { fault = fault ?? "\(late) came after stop()" }
        if let open = run.world.openCount?(), open > 0 {
            fault = fault ?? "\(open) devices are open after stop()"
        }
        if let slow = await examination.close(session) { fault = fault ?? "after stop(), \(slow)" }
        if let slow = await run.ends(
            "a second stop()", within: run.limits.closing, { await plugin.stop() })
        {
            fault = fault ?? slow
        }
        if let sleepers, let left = run.virtualClock?.sleeperCount, left > sleepers {
            fault = fault ?? "\(left - sleepers) tasks of it still sleep on the clock after stop()"
        }
        run.note(.stopping, failing: fault)
    }
}
