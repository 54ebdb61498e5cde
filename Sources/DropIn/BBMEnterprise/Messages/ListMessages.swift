// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

/// Asks for all elements of a kind. The data model sends it by itself.
@preconcurrency @MainActor open class BBMRequestListAllMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Asks for a kind.
  public init!(type: String!) {
    super.init(name: "requestListAll")
    self.type = type
  }
}

/// Asks for some elements of a kind. The data model sends it by itself.
@preconcurrency @MainActor open class BBMRequestListElementsMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  public var elements: [Any]! {
    get { self[list: "elements"] }
    set { self[list: "elements"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Asks for elements by their keys.
  public init!(elements: [Any]!, type: String!) {
    super.init(name: "requestListElements")
    self.elements = elements
    self.type = type
  }
}

/// Asks for the elements that match. The data model sends it by itself.
@preconcurrency @MainActor open class BBMRequestListMatchingMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  public var criteria: [AnyHashable: Any]! {
    get { self[dictionary: "criteria"] }
    set { self[dictionary: "criteria"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  public init!(criteria: [AnyHashable: Any]!, type: String!) {
    super.init(name: "requestListMatching")
    self.criteria = criteria
    self.type = type
  }
}

/// Adds elements to a list that apps may write.
@preconcurrency @MainActor open class BBMRequestListAddMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  public var elements: [Any]! {
    get { self[list: "elements"] }
    set { self[list: "elements"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  public init!(elements: [Any]!, type: String!) {
    super.init(name: "requestListAdd")
    self.elements = elements
    self.type = type
  }
}

/// Changes elements: the subject of a chat, `localData`, or a global.
@preconcurrency @MainActor open class BBMRequestListChangeMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  public var elements: [Any]! {
    get { self[list: "elements"] }
    set { self[list: "elements"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Changes elements, each of which has its key.
  public init!(elements: [Any]!, type: String!) {
    super.init(name: "requestListChange")
    self.elements = elements
    self.type = type
  }
}

/// Removes elements from a list that apps may write.
@preconcurrency @MainActor open class BBMRequestListRemoveMessage: BBMJSONMessage {
  public var type: String! {
    get { self[text: "type"] }
    set { self[text: "type"] = newValue }
  }
  public var elements: [Any]! {
    get { self[list: "elements"] }
    set { self[list: "elements"] = newValue }
  }
  /// Comes back in the answer.
  public var cookie: String! {
    get { self[text: "cookie"] }
    set { self[text: "cookie"] = newValue }
  }

  /// Removes elements by their keys.
  public init!(elements: [Any]!, type: String!) {
    super.init(name: "requestListRemove")
    self.elements = elements
    self.type = type
  }
}
