extension BBMMediaManager {
  /// Turns the camera on, or off if it is on. The parameter is of no use, as in the SDK, whose samples give true for
  /// both. Before media flows, it is remembered for then. The delegates get `cameraOperationSuccess` or
  /// `cameraOperationFailed`.
  public func toggleOutgoingVideo(_ enabled: Bool) {
    guard let active else { return }
    guard active.info.connectedTime > 0 else {
      active.wantsVideo.toggle()
      return
    }
    setCamera(of: active, isOn: active.tracks?.sendsVideo != true)
  }

  /// Sends the video of the next camera.
  public func toggleCamera() {
    guard let active else { return }
    guard toggleCameraAllowed, (try? active.tracks?.switchCamera()) != nil else {
      return notify { $0.cameraOperationFailed(kCameraOperationSwitch, call: active.info) }
    }
    notify { $0.cameraOperationSuccess(kCameraOperationSwitch, call: active.info) }
  }

  func setCamera(of call: ActiveCall, isOn: Bool) {
    let operation = isOn ? kCameraOperationStart : kCameraOperationStop
    guard let tracks = call.tracks, !call.isCameraBusy else {
      return notify { $0.cameraOperationFailed(operation, call: call.info) }
    }
    call.isCameraBusy = true
    updateCamera()
    Task {
      var isDone = true
      if isOn {
        do { try await tracks.startCamera() } catch { isDone = false }
      } else {
        await tracks.stopCamera()
      }
      call.isCameraBusy = false
      guard call === active else { return }
      updateCamera()
      notify {
        if isDone {
          $0.cameraOperationSuccess(operation, call: call.info)
        } else {
          $0.cameraOperationFailed(operation, call: call.info)
        }
      }
    }
  }

  /// Brings what apps see in line with the call.
  func updateCamera() {
    let tracks = active?.tracks
    let isFree = active?.isCameraBusy == false && active.map { $0.info.connectedTime > 0 } == true
    outgoingView = stage.outgoing
    enableCameraAllowed = isFree
    toggleCameraAllowed = isFree && tracks?.sendsVideo == true && (tracks?.cameras.count ?? 0) > 1
  }
}
