/// The messages of a conversation, and who came and went. It can be read after the end, too.
@preconcurrency @MainActor open class SfBHistoryService: SfBObject, SfBKeyValueObservable {
  /// The items in order, oldest first.
  @SfBObserved open private(set) var activityItems: [SfBConversationActivityItem] = []

  override class var keys: [ObservableKey] {
    [.array("activityItems", \SfBHistoryService.activityItems)]
  }

  init() { super.init(internal: ()) }

  func add(_ item: SfBConversationActivityItem) { activityItems.append(item) }
}
