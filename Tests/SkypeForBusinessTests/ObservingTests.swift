import Foundation
import Observation
import Testing

@testable import SkypeForBusiness

/// Properties are observed as key-value observing does it on Apple's systems.
@MainActor struct ObservingTests {
  private final class Sample: SfBObject, SfBKeyValueObservable {
    @SfBObserved var number = 0
    @SfBObserved var names: [String] = []
    var isEven: Bool { number.isMultiple(of: 2) }
    let inner: Sample?

    init(_ inner: Sample? = nil) {
      self.inner = inner
      super.init(internal: ())
    }

    override func part(_ name: String) -> SfBObject? { name == "inner" ? inner : nil }

    override class var keys: [ObservableKey] {
      [.value("number", \Sample.number), .array("names", \Sample.names), .value("isEven", \Sample.isEven)]
    }
  }

  private final class Notebook: SfBKeyValueObserver {
    var lines: [String] = []
    func observeValue(
      forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
      context: UnsafeMutableRawPointer?
    ) {
      let kind = change?[.kindKey] as? UInt ?? 0
      let indexes =
        (change?[.indexesKey] as? IndexSet).map { " at \($0.map(String.init).joined(separator: ","))" } ?? ""
      lines.append("\(keyPath ?? "") \(kind) \(change?[.newKey] ?? "-") \(change?[.oldKey] ?? "-")\(indexes)")
    }
  }

  @Test(
    "a change is told at once with the old and the new value, the initial value when asked for, and nothing after the end"
  )
  func values() {
    let sample = Sample()
    var told: [String] = []
    var observation: NSKeyValueObservation? = sample.observe(\.number, options: [.initial, .new, .old]) {
      object, change in
      told.append("\(object.number) \(change.newValue ?? -1) \(change.oldValue ?? -1)")
    }
    sample.number = 1
    sample.number = 1
    sample.number = 3
    #expect(told == ["0 0 -1", "1 1 0", "3 3 1"])
    observation?.invalidate()
    sample.number = 4
    #expect(told.count == 3)
    observation = sample.observe(\.number) { _, change in told.append("\(change.newValue ?? -1)") }
    sample.number = 5
    #expect(told.last == "-1")
    observation = nil
    sample.number = 6
    #expect(told.count == 4 && observation == nil)
  }

  @Test("what is computed from properties is told only when it changes")
  func computed() {
    let sample = Sample()
    var told: [Bool] = []
    let observation = sample.observe(\.isEven, options: .new) { _, change in told.append(change.newValue == true) }
    for number in [2, 3, 5, 6] { sample.number = number }
    #expect(told == [false, true])
    observation.invalidate()
  }

  @Test("arrays tell what was inserted and what was removed, and where")
  func arrays() {
    let sample = Sample()
    var told: [String] = []
    let observation = sample.observe(\.names, options: [.initial, .new, .old]) { _, change in
      let values = (change.newValue ?? []) + (change.oldValue ?? []).map { "-" + $0 }
      told.append("\(change.kind) \(values) \(change.indexes.map { $0.map { $0 } } ?? [])")
    }
    sample.names = ["a", "b"]
    sample.names.insert("c", at: 1)
    sample.names = ["c", "d"]
    #expect(
      told == [
        "setting [] []", "insertion [\"a\", \"b\"] [0, 1]", "insertion [\"c\"] [1]", "removal [\"-a\", \"-b\"] [0, 2]",
        "insertion [\"d\"] [1]",
      ])
    observation.invalidate()
  }

  @Test("properties are observed by name, too; an unknown name does no harm, and an observer is not kept alive")
  func names() {
    let sample = Sample()
    var notebook: Notebook? = Notebook()
    weak let gone = notebook
    sample.addObserver(notebook!, forKeyPath: "number", options: [.initial, .new])
    sample.addObserver(notebook!, forKeyPath: "names", options: [.new, .old])
    sample.addObserver(notebook!, forKeyPath: "nothing")
    sample.number = 7
    sample.names = ["a"]
    sample.names = []
    sample.removeObserver(notebook!, forKeyPath: "number")
    sample.removeObserver(notebook!, forKeyPath: "nothing")
    sample.number = 8
    #expect(
      notebook?.lines == [
        "number 1 0 -", "number 1 7 -", "names 2 [\"a\"] - at 0", "names 3 - [\"a\"] at 0",
      ])
    notebook = nil
    sample.names = ["b"]
    #expect(gone == nil)
  }

  @Test("a path leads through what belongs to an object for good, and what is told is the path and its first object")
  func paths() {
    final class Witness: SfBKeyValueObserver {
      var told: [(path: String?, object: AnyObject?)] = []
      func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) { told.append((keyPath, object as AnyObject?)) }
    }
    let innermost = Sample()
    let sample = Sample(Sample(innermost))
    let witness = Witness()
    sample.addObserver(witness, forKeyPath: "inner.inner.number", options: .initial)
    for nothing in ["inner", "inner.", ".number", "inner.nothing", "number.inner", "inner.inner.inner.number", ""] {
      sample.addObserver(witness, forKeyPath: nothing, options: .initial)
    }
    innermost.number = 1
    sample.number = 1
    sample.removeObserver(witness, forKeyPath: "inner.inner.number")
    innermost.number = 2
    #expect(witness.told.map { $0.path } == ["inner.inner.number", "inner.inner.number"])
    #expect(witness.told.allSatisfy { $0.object === sample })
  }

  @Test("an observer may end its observation while it is told, and change what is observed")
  func reentrant() {
    let sample = Sample()
    var told: [Int] = []
    var observation: NSKeyValueObservation?
    observation = sample.observe(\.number, options: .new) { sample, change in
      told.append(change.newValue ?? -1)
      if sample.number < 3 { sample.number += 1 } else { observation?.invalidate() }
    }
    sample.number = 1
    sample.number = 9
    #expect(told == [1, 2, 3])
  }

  @Test("Swift's own observation works with the same properties")
  func tracking() {
    let sample = Sample()
    final class Flag: @unchecked Sendable { var isSet = false }
    let changed = Flag()
    withObservationTracking {
      _ = sample.isEven
    } onChange: {
      changed.isSet = true
    }
    #expect(!changed.isSet)
    sample.number = 1
    #expect(changed.isSet)
  }
}
