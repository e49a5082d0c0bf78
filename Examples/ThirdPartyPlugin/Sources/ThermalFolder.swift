import Glibc

/// The link that ships: the files below `/sys/class/thermal`.
struct ThermalFolder: ThermalLink {
    let path: String

    func zones() async -> [ThermalZone] {
        await onThread { [path] in
            guard let folder = opendir(path) else { return [] }
            defer { closedir(folder) }
            var numbers: [Int] = []
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                let prefix = "thermal_zone"
                if name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) {
                    numbers.append(number)
                }
            }
            return ThermalZone.named(
                numbers.sorted().map { number in
                    let folder = "thermal_zone\(number)"
                    let type = try? contents("\(path)/\(folder)/type").get()
                    return (folder, type ?? "")
                })
        }
    }

    func read(_ zone: ThermalZone) async throws(ThermalFault) -> String {
        // A zone of ACPI runs the firmware's code, which may take long.
        try await onThread { [path] in contents("\(path)/\(zone.folder)/temp") }.get()
    }
}

/// The file's first bytes, which are all of it in sysfs.
private func contents(_ path: String) -> Result<String, ThermalFault> {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 {
        return .failure(errno == ENOENT ? .gone : .noAnswer(String(cString: strerror(errno))))
    }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
        let count = Glibc.read(file, buffer.baseAddress, buffer.count)
        if count < 0 {
            return .failure(errno == ENODEV ? .gone : .noAnswer(String(cString: strerror(errno))))
        }
        return .success(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
}

/// Runs `work`, which may block, on a thread that ends with it.
private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let job = Job { continuation.resume(returning: work()) }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { raw in
                if let raw { Unmanaged<Job>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(job).toOpaque())
        if status == 0 {
            pthread_detach(thread)
        } else {
            // The machine is out of threads; blocking this one is the lesser evil.
            Unmanaged.passUnretained(job).release()
            job.run()
        }
    }
}

private final class Job: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
