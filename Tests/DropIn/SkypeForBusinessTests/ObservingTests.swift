import Foundation
import Observation
import Testing

@testable import SkypeForBusiness

/// Properties are observed as key-value observing does it on Apple's systems.
@MainActor struct ObservingTests {
  private final class Sample: SfBObject, SfBKeyValueObservable {
    @SfBObserved var number = 0
    @SfBObserved var names: [String] = []
    @SfBObserved var next: Sample?
    @SfBObserved var state = SfBConversationState.idle
    @SfBObserved var isOn = false
    @SfBObserved var limit: UInt32 = 4
    var isEven: Bool { number.isMultiple(of: 2) }
    let inner: Sample?

    init(_ inner: Sample? = nil) {
      self.inner = inner
      super.init(internal: ())
    }

    override class var keys: [ObservableKey] {
      [
        .value("number", \Sample.number), .array("names", \Sample.names), .value("isEven", \Sample.isEven),
        .value("inner", \Sample.inner), .value("next", \Sample.next), .value("state", \Sample.state),
        .value("isOn", \Sample.isOn), .value("limit", \Sample.limit),
      ]
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

  // The initial value comes when it is asked for.
  @Test("a change is reported at once with old and new value, until the end")
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

  // An unknown name does no harm.
  @Test("properties are observed by name, and the observer isn't kept alive")
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

  @Test("observers get the path and its first object; a wrong path has no effect")
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
    for nothing in ["inner.", ".number", "inner.nothing", "number.inner", "names.number", "next..number", ""] {
      sample.addObserver(witness, forKeyPath: nothing, options: .initial)
    }
    innermost.number = 1
    sample.number = 1
    sample.removeObserver(witness, forKeyPath: "inner.inner.number")
    innermost.number = 2
    #expect(witness.told.map { $0.path } == ["inner.inner.number", "inner.inner.number"])
    #expect(witness.told.allSatisfy { $0.object === sample })
  }

  // The value at its end is reported again.
  @Test("a path continues through changing values, with NSNull for an absent one")
  func changingPaths() {
    let sample = Sample()
    let notebook = Notebook()
    sample.addObserver(notebook, forKeyPath: "next.next.number", options: [.initial, .new, .old])
    sample.addObserver(notebook, forKeyPath: "next.names", options: [.initial, .new])
    var typed: [Int?] = []
    let observation = sample.observe(\.next?.next?.number, options: [.initial, .new]) { _, change in
      typed.append(change.newValue ?? nil)
    }
    let (first, second) = (Sample(), Sample())
    second.number = 2
    first.next = second
    first.names = ["a"]
    sample.next = first
    second.number = 3
    first.names = ["a", "b"]
    let other = Sample()
    other.number = 3
    first.next = other
    first.next = nil
    // Objects that left the path are not reported any more.
    second.number = 9
    other.number = 9
    sample.next = nil
    first.next = second
    first.names = []
    let null = "\(NSNull())"
    #expect(
      notebook.lines == [
        "next.next.number 1 \(null) -", "next.names 1 \(null) -", "next.next.number 1 2 \(null)",
        "next.names 1 [\"a\"] -", "next.next.number 1 3 2", "next.names 2 [\"b\"] - at 1",
        "next.next.number 1 \(null) 3", "next.names 1 \(null) -",
      ])
    #expect(typed == [nil, 2, 3, nil])
    observation.invalidate()
  }

  // As key-value observing does.
  @Test("numbers, Booleans and enumerations are numbers, also at first")
  func numbers() throws {
    final class App: SfBKeyValueObserver {
      var changes: [[NSKeyValueChangeKey: Any]] = []
      func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
      ) { changes.append(change ?? [:]) }
    }
    let sample = Sample()
    let app = App()
    for name in ["state", "isOn", "limit", "number"] {
      sample.addObserver(app, forKeyPath: name, options: [.initial, .new, .old])
    }
    sample.state = .inLobby
    sample.isOn = true
    sample.limit = 1
    sample.number = -1
    #expect(app.changes.map { $0[.newKey] as? Int } == [0, 0, 4, 0, 2, 1, 1, -1])
    #expect(app.changes.map { ($0[.newKey] as? NSNumber)?.intValue } == [0, 0, 4, 0, 2, 1, 1, -1])
    #expect(app.changes.map { ($0[.oldKey] as? NSNumber)?.intValue } == [nil, nil, nil, nil, 0, 0, 4, 0])
    #expect(app.changes[4][.newKey] as? Int32 == SfBConversationState.inLobby.rawValue)
    #expect(try #require(app.changes[5][.newKey] as? Bool) && app.changes[6][.newKey] as? UInt32 == 1)
    for change in app.changes {
      #expect((change[.kindKey] as? NSNumber)?.uintValue == NSKeyValueChange.setting.rawValue)
      #expect(change[.kindKey] as? UInt == NSKeyValueChange.setting.rawValue)
    }
    let raw = try #require(app.changes[4][.newKey] as? NSNumber).int32Value
    #expect(SfBConversationState(rawValue: raw) == .inLobby)
  }

  @Test("an observer may end its observation in a call, and change the property")
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
