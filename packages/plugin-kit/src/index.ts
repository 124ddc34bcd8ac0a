export * from './define-connector.ts';
export * from './define-prompt-processor.ts';
export * from './define-tool.ts';
export * from './describe-function.ts';
export * from './describe-tool-definition.ts';
export * from './tool-failure.ts';
export * from './tool-host.ts';
export * from './tool-result.ts';
