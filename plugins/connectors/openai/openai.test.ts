import { describeConnector } from '@lamb/plugin-kit/conformance';
import { openAiStage } from './__fixtures__/openai-stage.ts';

describeConnector(openAiStage);
