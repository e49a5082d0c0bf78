import Sensorium
import SensoriumServices
import SensoriumTestKit
import Testing

@Suite("responder", .timeLimit(.minutes(1)))
struct ResponderTests {
    private let root = Responder(size: Size(width: 100, height: 200))

    private func part(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Responder {
        Responder(frame: Rectangle(x: x, y: y, width: width, height: height))
    }

    @Test("the deepest responder is hit, and of several at a place the front one")
    func depth() {
        let (back, front, inner) = (part(0, 0, 50, 50), part(40, 40, 50, 50), part(5, 5, 5, 5))
        root.add(back)
        root.add(front)
        front.add(inner)
        #expect(root.hitTest(Point(x: 10, y: 10)) === back)
        #expect(root.hitTest(Point(x: 41, y: 41)) === front)
        #expect(root.hitTest(Point(x: 46, y: 46)) === inner)
        #expect(root.hitTest(Point(x: 99, y: 199)) === root)
        #expect(root.hitTest(Point(x: 100, y: 10)) == nil)
        root.add(back)
        #expect(root.hitTest(Point(x: 41, y: 41)) === back)
        root.insert(back, at: 0)
        #expect(root.hitTest(Point(x: 41, y: 41)) === front)
    }

    @Test("what is hidden or takes no touches is not hit, with all its parts")
    func skipped() {
        let (back, front, inner) = (part(0, 0, 50, 50), part(0, 0, 50, 50), part(0, 0, 50, 50))
        root.add(back)
        root.add(front)
        front.add(inner)
        let point = Point(x: 10, y: 10)
        #expect(root.hitTest(point) === inner)
        inner.isHidden = true
        #expect(root.hitTest(point) === front)
        inner.isHidden = false
        front.takesTouches = false
        #expect(root.hitTest(point) === back)
        root.isHidden = true
        #expect(root.hitTest(point) == nil)
    }

    @Test("a child is not hit outside of its parent, and its far edges are outside")
    func edges() {
        let box = part(10, 10, 20, 20)
        let wide = part(-50, 0, 200, 5)
        root.add(box)
        box.add(wide)
        #expect(root.hitTest(Point(x: 5, y: 12)) === root)
        #expect(root.hitTest(Point(x: 10, y: 10)) === wide)
        #expect(root.hitTest(Point(x: 29, y: 20)) === box)
        #expect(root.hitTest(Point(x: 30, y: 20)) === root)
    }

    @Test("coordinates go through all parents and back, also where one scales")
    func coordinates() {
        final class Magnifier: Responder {
            override func convert(fromParent point: Point) -> Point {
                Point(x: (point.x - frame.origin.x) / 2, y: (point.y - frame.origin.y) / 2)
            }
            override func convert(toParent point: Point) -> Point {
                Point(x: point.x * 2 + frame.origin.x, y: point.y * 2 + frame.origin.y)
            }
        }
        let glass = Magnifier(frame: Rectangle(x: 10, y: 20, width: 40, height: 40))
        let part = part(5, 5, 10, 10)
        root.add(glass)
        glass.add(part)
        #expect(part.convert(toRoot: .zero) == Point(x: 20, y: 30))
        #expect(part.convert(fromRoot: Point(x: 20, y: 30)) == .zero)
        #expect(part.touchPoint == TouchPoint(x: 0.3, y: 0.2))
        #expect(root.touchPoint == .center)
    }

    @Test("a part that is added elsewhere leaves where it was")
    func moving() {
        let (one, other, part) = (part(0, 0, 9, 9), part(9, 9, 9, 9), part(0, 0, 5, 5))
        root.add(one)
        root.add(other)
        one.add(part)
        other.add(part)
        #expect(one.children.isEmpty)
        #expect(part.parent === other)
        #expect(part.root === root)
        #expect(part.isPart(of: root) && part.isPart(of: part) && !part.isPart(of: one))
        part.remove()
        #expect(part.parent == nil && other.children.isEmpty)
        part.remove()
    }

    @Test("a tree that nobody holds is gone")
    func lifetime() {
        weak var gone: Responder?
        do {
            let tree = Responder(size: Size(width: 1, height: 1))
            let leaf = part(0, 0, 1, 1)
            tree.add(leaf)
            let dispatcher = InteractionDispatcher(root: tree)
            dispatcher.firstResponder = leaf
            gone = leaf
        }
        #expect(gone == nil)
    }

    @Test("sizes below nothing and of no number are nothing")
    func sizes() {
        #expect(Size(width: -1, height: .nan) == Size(width: 0, height: 0))
        #expect(!Rectangle(x: 0, y: 0, width: 0, height: 0).contains(.zero))
        #expect(Rectangle(x: 2, y: 4, width: 2, height: 4).center == Point(x: 3, y: 6))
    }
}
