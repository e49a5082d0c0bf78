#if IIO
import CIIO
import SensoriumPluginKit

extension LibiioContext {
    /// Everything that the context holds, as plain values.
    static func list(_ context: OpaquePointer) -> IIOContextContent {
        let isLocal = iio_context_get_name(context).map { String(cString: $0) } == "local"
        var content = IIOContextContent(isLocal: isLocal, devices: [])
        for index in 0..<iio_context_get_devices_count(context) {
            guard let device = iio_context_get_device(context, index) else { continue }
            let isTrigger = iio_device_is_trigger(device)
            // Hardware monitoring chips appear beside the IIO devices.
            let isSensor = text(iio_device_get_id(device))?.hasPrefix("iio:") ?? false
            if isTrigger {
                content.triggers.append(list(device: device, isLocal: isLocal))
            } else if isSensor {
                let listed = list(device: device, isLocal: isLocal)
                // A device that was pulled out while libiio looked has no place any more.
                if !isLocal || listed.path != nil { content.devices.append(listed) }
            }
        }
        return content
    }

    private static func list(device: OpaquePointer, isLocal: Bool) -> IIODevice {
        let id = text(iio_device_get_id(device)) ?? ""
        var result = IIODevice(
            id: id, name: text(iio_device_get_name(device)),
            label: text(iio_device_get_label(device)))
        for index in 0..<iio_device_get_attrs_count(device) {
            if let name = text(iio_device_get_attr(device, index)) {
                result.attributes.insert(name)
            }
        }
        for index in 0..<iio_device_get_channels_count(device) {
            if let channel = iio_device_get_channel(device, index) {
                result.channels.append(list(channel: channel))
            }
        }
        if isLocal {
            let files = SysfsDevice("/sys/bus/iio/devices/\(id)", subsystem: "iio")
            result.path = files.place
            result.properties = files.properties
        }
        return result
    }

    private static func list(channel: OpaquePointer) -> IIOChannel {
        var result = IIOChannel(
            id: text(iio_channel_get_id(channel)) ?? "", isOutput: iio_channel_is_output(channel))
        for index in 0..<iio_channel_get_attrs_count(channel) {
            if let name = text(iio_channel_get_attr(channel, index)) {
                result.attributes.insert(name)
            }
        }
        let index = iio_channel_get_index(channel)
        if index >= 0, iio_channel_is_scan_element(channel),
            let format = iio_channel_get_data_format(channel)?.pointee,
            let type = ScanType(
                format.is_be ? .big : .little, signed: format.is_signed, bits: Int(format.bits),
                storageBits: Int(format.length), repeats: max(1, Int(format.repeat)),
                shift: Int(format.shift))
        {
            result.scan = IIOChannel.Scan(index: Int(index), type: type)
        }
        return result
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
#endif
