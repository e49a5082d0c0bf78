import Glibc

/// Sockets, made on a channel's thread.
enum Sockets {
    /// Connects to a TCP port.
    static func connect(
        _ host: String, _ port: UInt16, _ peer: String, _ opening: DescriptorChannel.Opening
    ) -> Result<Int32, NMEALinkError> {
        each(host, port, SOCK_STREAM, peer, opening) { descriptor, endpoint in
            if Glibc.connect(descriptor, endpoint.ai_addr, endpoint.ai_addrlen) == 0 { return 0 }
            if errno != EINPROGRESS { return errno }
            guard opening.wait(for: descriptor, Int16(POLLOUT)) else { return ECANCELED }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            return code
        }
    }

    /// Listens at a UDP port, together with other programs that do.
    static func bind(
        _ host: String?, _ port: UInt16, _ peer: String, _ opening: DescriptorChannel.Opening
    ) -> Result<Int32, NMEALinkError> {
        each(host ?? "0.0.0.0", port, SOCK_DGRAM, peer, opening) { descriptor, endpoint in
            var yes: Int32 = 1
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return Glibc.bind(descriptor, endpoint.ai_addr, endpoint.ai_addrlen) == 0 ? 0 : errno
        }
    }

    /// Tries each address of a name until `use` gives 0.
    private static func each(
        _ host: String, _ port: UInt16, _ type: __socket_type, _ peer: String,
        _ opening: DescriptorChannel.Opening, _ use: (Int32, addrinfo) -> Int32
    ) -> Result<Int32, NMEALinkError> {
        var wanted = addrinfo()
        wanted.ai_family = AF_UNSPEC
        wanted.ai_socktype = Int32(type.rawValue)
        wanted.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = opening.uninterruptibly { getaddrinfo(host, "\(port)", &wanted, &list) }
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0, list != nil else {
            return .failure(
                NMEALinkError(
                    reason: "\(peer): \(String(cString: gai_strerror(status)))",
                    hint: "check nmea.source"))
        }
        var problem: Int32 = EADDRNOTAVAIL
        var next = list
        while let endpoint = next, !opening.isOver {
            next = endpoint.pointee.ai_next
            let descriptor = socket(
                endpoint.pointee.ai_family,
                Int32(type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            if descriptor < 0 {
                problem = errno
                continue
            }
            problem = use(descriptor, endpoint.pointee)
            if problem == 0 { return .success(descriptor) }
            Glibc.close(descriptor)
        }
        return .failure(
            NMEALinkError(
                reason: "\(peer): \(SystemText.of(problem))",
                hint: problem == ECONNREFUSED
                    ? "is it running?" : "check nmea.source and the network"))
    }
}
