import ParleyViews

/// The elements of one kind that the model knows, by their keys, and the lists and the map that show them.
@MainActor final class ElementTable {
  let name: String
  /// The properties that tell elements apart.
  let keyNames: [String]
  let type: BBMElement.Type
  private(set) var elements: [String: BBMElement] = [:]
  /// The list of all, once somebody has asked for it.
  private(set) var list: BBMLiveList?
  /// Lists by criteria. They stay: monitors ask for them again in every run, and hold none.
  private var matching: [BBMLiveList] = []
  private(set) lazy var map = BBMLiveMap(self)
  unowned let model: BBMDSGeneratedModel

  init(_ name: String, keys: [String], _ type: BBMElement.Type, _ model: BBMDSGeneratedModel) {
    self.name = name
    keyNames = keys
    self.type = type
    self.model = model
  }

  /// The list of all elements; the first call asks for them.
  var wholeList: BBMLiveList {
    if let list { return list }
    let new = BBMLiveList(self, criteria: nil)
    list = new
    new.request()
    return new
  }

  func list(matching criteria: [String: Any]) -> BBMLiveList {
    if let known = matching.first(where: { FieldValue.isSame($0.criteria, criteria) }) { return known }
    let new = BBMLiveList(self, criteria: criteria)
    matching.append(new)
    new.request()
    return new
  }

  var lists: [BBMLiveList] { (list.map { [$0] } ?? []) + matching }

  func key(of values: [String: Any]) -> String? {
    let parts = keyNames.compactMap { FieldValue.key(values[$0]) }
    return parts.count == keyNames.count ? parts.joined(separator: "|") : nil
  }

  /// The values of a key: what a request for the element names.
  func fields(of key: String) -> [String: Any] {
    let parts = key.split(separator: "|", maxSplits: keyNames.count - 1, omittingEmptySubsequences: false)
    return Dictionary(uniqueKeysWithValues: zip(keyNames, parts.map(String.init)))
  }

  /// The element of a key: a pending one, which is asked for, where it isn't known.
  func element(_ key: String) -> BBMElement {
    if let known = elements[key] { return known }
    let new = type.init(fields(of: key), model: model)
    elements[key] = new
    model.fetch(key, of: self)
    map.keysChanged()
    return new
  }

  /// Lets an element that was made before its key was known have that key.
  func adopt(_ element: BBMElement, as key: String) {
    if elements[key] == nil { elements[key] = element }
  }

  func makeElement(_ values: [String: Any]) -> BBMElement { type.init(values, model: model) }

  // MARK: what messages do

  /// Takes an element that is new, or as the service has it now.
  @discardableResult func take(_ values: [String: Any], isNew: Bool) -> BBMElement? {
    guard let key = key(of: values) else { return nil }
    var element = elements[key]
    // A change of what nobody has asked for says too little to show it.
    guard element != nil || isNew else { return nil }
    if element == nil {
      element = model.awaited(values, in: self) ?? makeElement([:])
      elements[key] = element
      map.keysChanged()
    }
    guard let element else { return nil }
    element.merge(values)
    for list in lists { list.elementChanged(element, isNew: isNew) }
    return element
  }

  func remove(_ key: String) {
    guard let element = elements.removeValue(forKey: key) else { return }
    element.enter(kBBMStateMissing)
    for list in lists { list.elementRemoved(element) }
    map.keysChanged()
  }

  /// The service does not have an element that was asked for.
  func miss(_ key: String) {
    guard let element = elements[key] else { return }
    element.enter(kBBMStateMissing)
    for list in lists { list.elementRemoved(element) }
  }

  /// Asks again for all that somebody has asked for.
  func resync() {
    for list in lists { list.request() }
    for key in elements.keys.sorted() { model.fetch(key, of: self) }
  }

  /// Everything is gone, as after a reset. Elements that are always there stay, without their values.
  func wipe(keepsElements: Bool) {
    if keepsElements {
      for element in elements.values { element.clear(keeping: keyNames) }
    } else {
      for key in elements.keys.sorted() { remove(key) }
    }
    for list in lists { list.reset() }
  }
}
