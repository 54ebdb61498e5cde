extension BBMJSONMessage {
  /// The classes of messages from the service that have one of their own, by the messages' names.
  static let incoming: [String: @MainActor (String, [String: Any]) -> BBMJSONMessage] = [
    "chatStartFailed": { BBMChatStartFailedMessage(name: $0, fields: $1) },
    "syncError": { BBMSyncErrorMessage(name: $0, fields: $1) },
    "setupError": { BBMSetupErrorMessage(name: $0, fields: $1) },
    "syncPasscodeChangeResult": { BBMSyncPasscodeChangeResultMessage(name: $0, fields: $1) },
    "identities": { BBMIdentitiesMessage(name: $0, fields: $1) },
    "pinResult": { BBMPinResultMessage(name: $0, fields: $1) },
    "endpoints": { BBMEndpointsMessage(name: $0, fields: $1) },
    "endpointUpdateResult": { BBMEndpointUpdateResultMessage(name: $0, fields: $1) },
    "endpointDeregisterResult": { BBMEndpointDeregisterResultMessage(name: $0, fields: $1) },
    "endpointDeregistered": { BBMEndpointDeregisteredMessage(name: $0, fields: $1) },
    "chatMessageState": { BBMChatMessageStateMessage(name: $0, fields: $1) },
    "chatParticipantTimes": { BBMChatParticipantTimesMessage(name: $0, fields: $1) },
    "chatEvent": { BBMChatEventMessage(name: $0, fields: $1) },
    "searchResult": { BBMSearchResultMessage(name: $0, fields: $1) },
    "profileKeys": { BBMProfileKeysMessage(name: $0, fields: $1) },
    "chatKey": { BBMChatKeyMessage(name: $0, fields: $1) },
    "profileKeysImportFailure": { BBMProfileKeysImportFailureMessage(name: $0, fields: $1) },
    "userKeysImportFailure": { BBMUserKeysImportFailureMessage(name: $0, fields: $1) },
    "chatKeysImportFailure": { BBMChatKeysImportFailureMessage(name: $0, fields: $1) },
  ]
}
