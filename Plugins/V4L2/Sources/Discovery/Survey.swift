import Sensorium
import SensoriumPluginKit

/// What a look at all nodes finds.
struct Survey: Sendable {
    /// The cameras, in the order of their nodes.
    private(set) var cameras: [V4L2Camera] = []

    /// How long a look at one node may take.
    private static let limit = Duration.seconds(6)

    private enum Finding: Sendable {
        case camera(name: String, rates: SamplingRates, isReadable: Bool)
        /// It may be one: it cannot be opened now.
        case unknown(V4L2Fault)
        case none
    }

    /// Looks at every node.
    init(_ desk: SessionDesk) async {
        let host = desk.host
        var hasPreferred = false
        for entry in CameraInventory(desk.link.nodes()).entries {
            var descriptor = SensorDescriptor(
                id: SensorID("v4l2/\(entry.token)/camera"), kind: .camera, name: entry.node.name,
                vendor: entry.node.properties["ID_VENDOR_FROM_DATABASE"]
                    ?? entry.node.properties["ID_VENDOR"], needs: entry.node.path)
            switch await Self.look(at: entry, desk) {
            case .none: continue
            case .camera(let name, let rates, let isReadable):
                if !name.isEmpty { descriptor.name = name }
                descriptor.rates = rates
                descriptor.isPreferred = isReadable && !hasPreferred
                hasPreferred = hasPreferred || isReadable
            case .unknown(let fault):
                guard Self.mayBeCamera(entry.node) else { continue }
                host.log(.info, "v4l2: \(entry.node.path): \(fault.reason)")
            }
            cameras.append(V4L2Camera(descriptor: descriptor, token: entry.token, desk: desk))
        }
    }

    /// What can be said of a node that cannot be opened.
    private static func mayBeCamera(_ node: VideoNode) -> Bool {
        // udev has asked the node; without udev, the first node of a device is a camera's.
        node.properties["ID_V4L_CAPABILITIES"].map { $0.contains(":capture:") }
            ?? (node.index == 0)
    }

    private static func look(
        at entry: CameraInventory.Entry, _ desk: SessionDesk
    ) async -> Finding {
        let answer = Answer<Finding>()
        let (link, host) = (desk.link, desk.host)
        host.clock.spawn("look at \(entry.node.path)", on: link.makeThread()) {
            answer.give(await ask(entry, link, host))
        }
        if let finding = await host.clock.within(limit, { await answer.wait() }) ?? nil {
            return finding
        }
        return .unknown(V4L2Fault(.timedOut, "it did not answer within \(limit.secondsText(0)) s"))
    }

    private static func ask(
        _ entry: CameraInventory.Entry, _ link: any V4L2Link, _ host: PluginHost
    ) async -> Finding {
        let device: any V4L2Device
        do throws(V4L2Fault) {
            device = try await link.open(entry.node.path)
        } catch {
            return error.condition == .gone ? .none : .unknown(error)
        }
        var finding = Finding.none
        do throws(V4L2Fault) {
            let capability = try await device.capability()
            if capability.isCamera {
                finding = .camera(name: capability.card, rates: .unknown, isReadable: false)
                let modes = try await CameraModes(
                    of: device, for: V4L2Settings(host, for: entry.token))
                finding = .camera(name: capability.card, rates: modes.rates, isReadable: true)
            }
        } catch {
            // A camera that does not say what it can do is one all the same.
            if error.condition == .gone { finding = .none }
            host.log(.info, "v4l2: \(entry.node.path): \(error.reason)")
        }
        await device.close()
        return finding
    }
}
