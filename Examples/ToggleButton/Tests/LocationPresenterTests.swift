// The article's tests: what the presenter asks of a receiver, and what it shows.

import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@testable import ToggleButton

@Suite("location presenter", .timeLimit(.minutes(1)))
struct LocationPresenterTests {
    private let clock = VirtualClock()
    private let gps: LocationSensorSpy
    private let view = CanvasSpy()
    private let presenter: LocationPresenter

    init() {
        gps = LocationSensorSpy(clock: clock)
        presenter = LocationPresenter(service: LocationService(sensor: gps), view: view)
    }

    @Test("asks for authorization, starts, shows the first coordinate, and stops")
    func firstFix() async throws {
        try await clock.run { [gps, presenter] in
            presenter.showLocation()
            try await gps.deliver(latitude: -33.8568, longitude: 151.2153)
            try await gps.stopped()
        }
        #expect(
            gps.events == [
                .askedForAuthorization, .opened(.default), .delivered(1), .closed,
            ])
        #expect(view.texts.all == ["Looking for your position...", "33.8568 S, 151.2153 E"])
    }

    @Test("shows why there is no position, and stops")
    func failure() async throws {
        try await clock.run { [gps, presenter] in
            presenter.showLocation()
            try await gps.suffer(.unplug)
        }
        #expect(view.texts.all.last == "Your position is unknown: it was pulled out")
    }
}
