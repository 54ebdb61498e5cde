public import Foundation
public import ParleyViews

// Calls that take nil where the SDK's headers want a value, and throw `invalidArgument` then: an app needn't unwrap an
// address that it made of a text. A call with the exact type goes before them.

extension SfBApplication {
  /// Joins a meeting by its address.
  /// - Throws: `invalidArgument` for nil, and for an address that isn't one of a meeting.
  @_disfavoredOverload @discardableResult public func joinMeetingAnonymous(
    withUri meetingUri: URL?, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(
      withUri: SfBError.need(meetingUri, "The meeting's address is nil: one of a meeting is expected."),
      displayName: displayName)
  }

  /// Joins a meeting by its discover address.
  /// - Throws: `invalidArgument` for nil, and for an address that names no server.
  @_disfavoredOverload @discardableResult public func joinMeetingAnonymous(
    withDiscover discoverUrl: URL?, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(
      withDiscover: SfBError.need(discoverUrl, "The discover address is nil: the one that a server gave is expected."),
      authToken: authToken, displayName: displayName)
  }

  /// Joins a meeting by its address, as Swift 2 spelled it.
  @_disfavoredOverload @discardableResult public func joinMeetingAnonymousWithUri(
    _ meetingUri: NSURL?, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(withUri: meetingUri.map { $0 as URL }, displayName: displayName)
  }

  /// Joins a meeting by its discover address, as Swift 2 spelled it.
  @_disfavoredOverload @discardableResult public func joinMeetingAnonymousWithDiscoverUrl(
    _ discoverUrl: NSURL?, authToken: String, displayName: String
  ) throws -> SfBAnonymousSession {
    try joinMeetingAnonymous(
      withDiscover: discoverUrl.map { $0 as URL }, authToken: authToken, displayName: displayName)
  }
}

extension SfBVideoService {
  /// Sends the video of another camera.
  /// - Throws: `invalidArgument` for nil.
  @_disfavoredOverload public func setActiveCamera(_ camera: SfBCamera?) throws {
    try checkLicense()
    try require(canSetActiveCamera, "setActiveCamera(_:)", "canSetActiveCamera")
    try setActiveCamera(
      SfBError.need(camera, "There is no camera to use: one of the devices manager's is expected."))
  }

  /// Shows the guest's own video in a view.
  /// - Throws: `invalidArgument` for nil.
  @_disfavoredOverload @discardableResult public func showPreview(on view: UIView?) throws -> SfBVideoPreview {
    try checkLicense()
    return try showPreview(on: SfBError.need(view, "There is no view to show the preview on: nil was given."))
  }

  /// ``showPreview(on:)`` as Swift 2 spelled it.
  @_disfavoredOverload @discardableResult public func showPreviewOnView(_ view: UIView?) throws -> SfBVideoPreview {
    try showPreview(on: view)
  }

  /// ``showPreview(on:)`` as the SDK spelled it before June 2016.
  @_disfavoredOverload @discardableResult public func preview(_ view: UIView?) throws -> SfBVideoPreview {
    try showPreview(on: view)
  }
}

extension SfBParticipantVideo {
  /// Begins to receive the video.
  /// - Throws: `invalidArgument` for nil.
  @_disfavoredOverload @discardableResult public func subscribe(_ layer: CAEAGLLayer?) throws -> SfBVideoStream {
    try checkLicense()
    return try subscribe(SfBError.need(layer, "There is no layer to show the picture on: nil was given."))
  }
}

extension SfBError {
  fileprivate static func need<Value>(_ value: Value?, _ why: String) throws -> Value {
    guard let value else { throw SfBError.invalidArgument.because(why) }
    return value
  }
}
