// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// The elements of one kind, all or those that match criteria, in the order in which the service has them. They follow
/// the service.
@preconcurrency @MainActor public final class BBMLiveList: BBMObject, @preconcurrency Sequence {
  let criteria: [String: Any]?
  private unowned let table: ElementTable
  private var elements: [BBMElement] = []
  private var state = kBBMStatePending
  /// Names the request under way, whose answer this list waits for.
  private(set) var cookie: String?
  /// The elements that have come since the request.
  private var arrived: Set<ObjectIdentifier> = []
  private var listeners: [WeakListener] = []

  private struct WeakListener {
    weak var listener: (any BBMLiveListener)?
  }

  init(_ table: ElementTable, criteria: [String: Any]?) {
    self.table = table
    self.criteria = criteria
    super.init()
  }

  /// The elements; a monitor that reads it runs when elements come or go.
  public var observableArray: [Any]! {
    track("observableArray")
    return elements
  }

  /// The elements, without a monitor's notice.
  public var array: [Any]! { elements }

  /// How many there are.
  public var count: UInt {
    track("observableArray")
    return UInt(elements.count)
  }

  /// Pending until all have come.
  public var bbmState: BBMElementState {
    track("bbmState")
    return state
  }

  /// An element by its key, such as a chat by its id; nil when the list does not have it.
  public subscript(key: Any!) -> Any! {
    track("observableArray")
    guard let key = FieldValue.key(key), let element = table.elements[key] else { return nil }
    return elements.first { $0 === element }
  }

  /// The elements one after the other.
  public func makeIterator() -> AnyIterator<Any> {
    track("observableArray")
    var rest = elements.makeIterator()
    return AnyIterator { rest.next() }
  }

  /// Asks the service for all elements again.
  public func resync() { request() }

  /// Notifies of every change of the elements. The listener is held weakly.
  public func addListener(_ listener: (any BBMLiveListener)!) {
    if let listener { listeners.append(WeakListener(listener: listener)) }
  }

  /// Notifies the listener no more.
  public func removeListener(_ listener: (any BBMLiveListener)!) {
    listeners.removeAll { $0.listener == nil || $0.listener === listener }
  }

  // MARK: what messages do

  func request() {
    arrived = []
    var request: [String: Any] = ["type": table.name]
    let cookie = table.model.nextCookie()
    self.cookie = cookie
    request["cookie"] = cookie
    if let criteria {
      request["criteria"] = criteria
      table.model.send(["requestListMatching": request])
    } else {
      table.model.send(["requestListAll": request])
    }
  }

  /// All that the request asked for has come.
  func complete() {
    cookie = nil
    let gone = elements.filter { !arrived.contains(ObjectIdentifier($0)) }
    arrived = []
    for element in gone {
      if criteria == nil, let key = table.key(of: element.values) { table.remove(key) } else { elementRemoved(element) }
    }
    enter(kBBMStateCurrent)
  }

  func elementChanged(_ element: BBMElement, isNew: Bool) {
    let belongs = criteria.map { Self.matches(element.values, $0) } ?? true
    let isHere = elements.contains { $0 === element }
    if cookie != nil, belongs { arrived.insert(ObjectIdentifier(element)) }
    if belongs, !isHere, isNew || criteria != nil {
      elements.append(element)
      report()
    } else if !belongs, isHere {
      elementRemoved(element)
    } else if isHere {
      for each in listeners { each.listener?.liveListChanged(self) }
    }
  }

  func elementRemoved(_ element: BBMElement) {
    guard let index = elements.firstIndex(where: { $0 === element }) else { return }
    elements.remove(at: index)
    report()
  }

  func reset() {
    cookie = nil
    arrived = []
    enter(kBBMStateCurrent)
  }

  private func report() {
    changed("observableArray")
    for each in listeners { each.listener?.liveListChanged(self) }
  }

  private func enter(_ new: BBMElementState) {
    guard state != new else { return }
    state = new
    changed("bbmState")
  }

  /// Whether an element has every value that the criteria name; a reference matches one of several.
  private static func matches(_ values: [String: Any], _ criteria: [String: Any]) -> Bool {
    criteria.allSatisfy { name, wanted in
      guard let wanted = wanted as? [String: Any] else {
        return FieldValue.key(values[name]) == FieldValue.key(wanted)
      }
      return (values[name] as? [[String: Any]] ?? []).contains { matches($0, wanted) }
    }
  }
}

/// Is notified when a list or a map changes.
@preconcurrency @MainActor public protocol BBMLiveListener: AnyObject {
  /// Elements have come, gone or changed.
  func liveListChanged(_ list: BBMLiveList)
  /// Elements have come, gone or changed.
  func liveMapChanged(_ map: BBMLiveMap)
}

extension BBMLiveListener {
  /// Does nothing, unless the listener implements it.
  public func liveListChanged(_ list: BBMLiveList) {}
  /// Does nothing, unless the listener implements it.
  public func liveMapChanged(_ map: BBMLiveMap) {}
}
