/// Leave to move one attachment over HTTP: `PUT` or `GET` at `path` with `Authorization: Bearer <token>`.
public struct AttachmentTicket: Codable, Hashable, Sendable {
  public var attachment: AttachmentID
  /// The path on the server.
  public var path: String
  /// Good for one transfer within ``MessagingLimits/ticketSeconds``.
  public var token: String

  public init(attachment: AttachmentID, path: String, token: String) {
    self.attachment = attachment
    self.path = path
    self.token = token
  }
}
