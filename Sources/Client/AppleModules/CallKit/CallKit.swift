/// The part of CallKit that Linux has: calls within the app, with an alert for an incoming one.
@_exported public import ParleyViews
