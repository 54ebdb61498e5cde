/// What there is of CallKit on Linux: calls within the app, with an alert for one that comes.
@_exported public import ParleyViews
