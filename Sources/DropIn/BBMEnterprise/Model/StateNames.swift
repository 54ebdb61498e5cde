// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// As the SDK's headers without annotations are imported.

// The names of states in the service's messages, as the SDK's reference has them for each state of an element.

extension BBMChat {
  public class func value(forStateString string: String!) -> BBMChatState { BBMChatState(string) }
  public class func string(forStateValue value: BBMChatState) -> String! { value.name }
  public class func value(forKeyStateString string: String!) -> BBMChatKeyState { BBMChatKeyState(string) }
  public class func string(forKeyStateValue value: BBMChatKeyState) -> String! { value.name }
  public class func value(forInvitePolicyString string: String!) -> BBMChatInvitePolicy { BBMChatInvitePolicy(string) }
  public class func string(forInvitePolicyValue value: BBMChatInvitePolicy) -> String! { value.name }
}

extension BBMChatMessage {
  /// The tags that the SDK knows.
  private static let definedTags: Set = [
    "Admin", "Calendar", "Call", "Clear", "Contact", "File", "Gap", "Glympse", "GlympseRequest", "Join", "Leave",
    "Link", "Location", "MediaConf", "Picture", "Quote", "ReferencedUpdate", "Remove", "Screencap", "Shred", "Sticker",
    "Subject", "Text", "VoiceNote",
  ]

  /// Whether a tag is one that the SDK knows, and not an app's own.
  public class func tagIsDefined(_ tag: String!) -> Bool { definedTags.contains(tag ?? "") }

  public class func value(forStateString string: String!) -> BBMChatMessageState { BBMChatMessageState(string) }
  public class func string(forStateValue value: BBMChatMessageState) -> String! { value.name }
  public class func value(forFileStateString string: String!) -> BBMChatMessageFileState {
    BBMChatMessageFileState(string)
  }
  public class func string(forFileStateValue value: BBMChatMessageFileState) -> String! { value.name }
  public class func value(forRecallString string: String!) -> BBMChatMessageRecall { BBMChatMessageRecall(string) }
  public class func string(forRecallValue value: BBMChatMessageRecall) -> String! { value.name }
}
